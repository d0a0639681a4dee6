#include "ordering/path_check.h"

#include <algorithm>
#include <deque>
#include <tuple>

namespace ptosync {

PathCheck::PathCheck(const Program &program, const HazardModel &model, const SyncLayout &before,
                     const SyncLayout &after, const std::vector<TokenEvent> &faults, FaultyFlags faultyFlags)
    : program(program), model(model), before(before), after(after),
      faultyMayOrder(faultyFlags == FaultyFlags::MayOrder) {
  for (const TokenEvent &fault : faults)
    faulty.insert(fault.flag);
  scalarWaits = std::any_of(program.flags.begin(), program.flags.end(),
                            [](const Flag &flag) { return flag.destination == Pipe::S; }) ||
                std::any_of(program.buffers.begin(), program.buffers.end(),
                            [](const BufferRelease &release) { return release.pipe == Pipe::S; });
}

std::optional<ConflictPair> PathCheck::firstLoss(const std::vector<ConflictPair> &pairs) const {
  eventsRun = 0;
  std::map<std::tuple<NodeId, bool, LoopId>, Question> questions; // pairs with one start and one bound
  for (const ConflictPair &pair : pairs) {
    Question question;
    question.earlier = program.nodeOfBit[pair.bit];
    // A wait that is out consumes nothing, and a set that is out comes before nothing.
    if (isOut(question.earlier, after) || (pair.later != kNone && isOut(pair.later, after)))
      continue;
    question.stays = pair.later != kNone && program.distanceOf(pair.bit).sameIteration();
    if (question.stays)
      question.within = program.graph->commonLoop(program.nodes[question.earlier].loop, program.nodes[pair.later].loop);
    auto key = std::tuple(question.earlier, question.stays, question.within);
    auto found = questions.try_emplace(key, question).first;
    found->second.pairs.push_back(pair);
    addAsked(found->second, pair);
  }
  if (questions.size() > limits.starts)
    return pairs.front();
  for (auto &[key, question] : questions)
    for (bool scalar : {false, true})
      for (bool library : {false, true}) {
        if ((scalar && !scalarWaits) || (library && !model.anyInside()))
          continue;
        question.scalarHolds = scalar;
        question.libraryOrders = library;
        if (std::optional<ConflictPair> lost = ask(question))
          return lost;
      }
  return std::nullopt;
}

void PathCheck::addAsked(Question &question, const ConflictPair &pair) const {
  if (question.asked.empty())
    question.asked = BitSet(static_cast<std::uint32_t>(program.rowCount()));
  for (std::uint32_t row = 0; row < kPipeCount; ++row)
    if (pair.later == kNone || row == index(program.nodes[pair.later].pipe))
      question.asked.insert(row);
}

/// True for a flag statement that is out there.
bool PathCheck::isOut(NodeId node, const SyncLayout &layout) const {
  const auto *sync = std::get_if<Sync>(&program.nodes[node].statement->action);
  return sync && layout.removed(sync->site);
}

std::vector<StepId> PathCheck::stepsOf(BlockId block) const {
  if (copies.empty())
    for (StepId step : program.order)
      copies[program.blockOf[step]].push_back(step);
  auto found = copies.find(block);
  return found == copies.end() ? std::vector<StepId>() : found->second;
}

std::optional<ConflictPair> PathCheck::ask(const Question &question) const {
  const Node &earlier = program.nodes[question.earlier];
  struct Arrival {
    StepId step;
    std::uint32_t first;
    const Ways *ways; // in `starts` or `seen`, whose elements stay where they are
  };
  std::deque<Ways> starts;
  std::map<StepId, std::set<Ways>> seen;
  std::vector<Arrival> work;
  for (StepId step : stepsOf(earlier.block)) {
    if (program.steps[step][earlier.event].node != question.earlier)
      continue;
    BitSet unknown(static_cast<std::uint32_t>(program.rowCount()));
    for (std::uint32_t row = 0; row < program.rowCount(); ++row)
      unknown.insert(row);
    Ways ways{unknown, unknown};
    EventKey key{step, earlier.event};
    // A wait that only comes with the edit finds no excuse in the kernel as it stands: the order must be there.
    if (isOut(question.earlier, before))
      ways.before = BitSet(static_cast<std::uint32_t>(program.rowCount()));
    // A wait that stands elsewhere is not over before it gets there.
    if (earlier.holdsPipe && !before.moved(key))
      ways.before.erase(static_cast<std::uint32_t>(index(earlier.pipe)));
    if (earlier.holdsPipe && !after.moved(key))
      ways.after.erase(static_cast<std::uint32_t>(index(earlier.pipe)));
    work.push_back({step, earlier.event + 1, &starts.emplace_back(std::move(ways))});
  }
  while (!work.empty()) {
    auto [step, first, entered] = work.back();
    work.pop_back();
    Ways ways = *entered;
    if (program.options.allowance.spent(WorkUnit::Visit))
      return question.pairs.front();
    if (std::optional<ConflictPair> lost = runStep(question, step, first, ways))
      return lost;
    if (eventsRun > limits.events)
      return question.pairs.front();
    // There is nothing left to lose.
    if (!ways.after.intersects(question.asked))
      continue;
    for (const Edge &edge : program.edges[step]) {
      if (question.stays && edge.around != kNone && question.within != kNone &&
          program.graph->encloses(edge.around, question.within))
        continue;
      std::set<Ways> &known = seen[edge.to];
      if (known.size() >= limits.ways)
        return question.pairs.front();
      if (auto [arrived, fresh] = known.insert(ways); fresh)
        work.push_back({edge.to, 0, &*arrived});
    }
  }
  return std::nullopt;
}

std::optional<ConflictPair> PathCheck::runStep(const Question &question, StepId step, std::uint32_t first,
                                               Ways &ways) const {
  auto count = static_cast<std::uint32_t>(program.steps[step].size());
  std::optional<ConflictPair> lost;
  auto run = [&](EventKey key, bool inBefore, bool inAfter) {
    const Event &event = program.steps[key.first][key.second];
    inBefore = inBefore && !before.removed(event.site);
    inAfter = inAfter && !after.removed(event.site);
    if (!lost && inAfter)
      lost = lossAt(question, event, inBefore, ways);
    if (inBefore)
      apply(question, event, true, ways.before);
    if (inAfter)
      apply(question, event, false, ways.after);
  };
  bool inserted = before.anyInserted(step) || after.anyInserted(step);
  for (std::uint32_t i = first; i <= count && !lost; ++i) {
    ++eventsRun;
    if (!ways.after.intersects(question.asked)) // what a pipe knows it does not forget
      return std::nullopt;
    if (inserted)
      SyncLayout::forEachInserted(before, after, {step, i}, run);
    if (i == count)
      break;
    const Event &event = program.steps[step][i];
    if (event.kind != Event::Kind::Access) {
      run({step, i}, !before.moved({step, i}), !after.moved({step, i}));
      continue;
    }
    lost = lossAt(question, event, true, ways);
    if (question.libraryOrders) {
      apply(question, event, true, ways.before);
      apply(question, event, false, ways.after);
    }
  }
  return lost ? lost : lossAtEnd(question, step, ways);
}

/// Where a set arrives (`wasHere` false) it must find the order whatever its old place had.
std::optional<ConflictPair> PathCheck::lossAt(const Question &question, const Event &event, bool wasHere,
                                              const Ways &ways) const {
  if (event.node == kNone)
    return std::nullopt;
  auto row = static_cast<std::uint32_t>(index(program.nodes[event.node].pipe));
  if (!ways.after.contains(row) || (wasHere && ways.before.contains(row)))
    return std::nullopt;
  for (const ConflictPair &pair : question.pairs)
    if (pair.later == event.node)
      return pair;
  return std::nullopt;
}

/// At the kernel's end: for pairs without a later instruction, what any other pipe knew. A barrier of the work's own
/// pipe stands in the queue that the work stands in: whether the end waits for that queue or not, it says nothing of
/// the work.
std::optional<ConflictPair> PathCheck::lossAtEnd(const Question &question, StepId step, const Ways &ways) const {
  if (program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
    return std::nullopt;
  const std::uint32_t own = index(program.nodes[question.earlier].pipe);
  for (const ConflictPair &pair : question.pairs)
    for (std::uint32_t row = 0; row < kPipeCount && pair.later == kNone; ++row)
      if (row != own && ways.after.contains(row) && !ways.before.contains(row))
        return pair;
  return std::nullopt;
}

void PathCheck::apply(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const {
  const Node &earlier = program.nodes[question.earlier];
  Pipe pipe = earlier.pipe;
  // A wait that stands further down is still to come: there is nothing to know yet.
  bool toCome = earlier.holdsPipe && unknown.contains(static_cast<std::uint32_t>(index(pipe)));
  if (toCome && event.node != question.earlier)
    return;
  switch (event.kind) {
  case Event::Kind::Access: {
    const std::vector<std::uint32_t> *hidden = question.libraryOrders ? model.insideOf(event.statement) : nullptr;
    if (!hidden)
      return;
    for (std::uint32_t flag : *hidden) {
      const Flag &named = program.flags[flag];
      if (named.source == pipe || !unknown.contains(static_cast<std::uint32_t>(index(named.source))))
        unknown.erase(static_cast<std::uint32_t>(index(named.destination)));
    }
    return;
  }
  case Event::Kind::Barrier:
    for (std::uint32_t row = 0; row < kPipeCount; ++row)
      if (event.source == Pipe::All || (event.source == pipe && row == index(pipe)))
        unknown.erase(row);
    return;
  case Event::Kind::Set:
  case Event::Kind::Wait: return applyFlag(question, event, optimistic, unknown);
  case Event::Kind::Get:
  case Event::Kind::Release: return applyBuffer(question, event, optimistic, unknown);
  case Event::Kind::Inside: return;
  }
}

/// A pipe forgets nothing, so a later release of the pipe says no less than an earlier one.
void PathCheck::applyBuffer(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const {
  if (!event.orders && !optimistic)
    return;
  const auto own = static_cast<std::uint32_t>(index(event.source));
  const bool known = event.source == program.nodes[question.earlier].pipe || !unknown.contains(own);
  for (std::uint32_t buffer : event.buffers) {
    const auto row = static_cast<std::uint32_t>(program.rowOfBuffer(buffer));
    if (event.kind == Event::Kind::Release && (known || event.mode != BufferMode::Blocking))
      unknown.erase(row);
    if (event.kind == Event::Kind::Get && event.mode != BufferMode::NonBlocking && !unknown.contains(row))
      unknown.erase(own);
  }
  for (std::uint32_t row = 0; event.kind == Event::Kind::Get && question.scalarHolds && event.source == Pipe::S &&
                              !unknown.contains(own) && row < kPipeCount;
       ++row)
    unknown.erase(row);
}

void PathCheck::applyFlag(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const {
  Pipe pipe = program.nodes[question.earlier].pipe;
  auto certain = [&](std::uint32_t lane) { return event.lanes.size() == 1 && !faulty.count(lane); };
  auto hoped = [&](std::uint32_t lane) { return optimistic && (faultyMayOrder || !faulty.count(lane)); };
  auto rowOf = [](std::uint32_t lane) { return static_cast<std::uint32_t>(kPipeCount + lane); };
  if (event.kind == Event::Kind::Set) {
    bool known = event.source == pipe || !unknown.contains(static_cast<std::uint32_t>(index(event.source)));
    for (std::uint32_t lane : event.lanes) {
      if (known && (certain(lane) || hoped(lane)))
        unknown.erase(rowOf(lane));
      else if (!known && (certain(lane) || !optimistic))
        unknown.insert(rowOf(lane));
    }
    return;
  }
  bool known = false;
  if (event.node == question.earlier)
    unknown.erase(static_cast<std::uint32_t>(index(event.destination)));
  for (std::uint32_t lane : event.lanes) {
    known = known || (!unknown.contains(rowOf(lane)) && (certain(lane) || hoped(lane)));
    // A wait of a faulty flag may be fed by a set that only comes behind it in the text.
    known = known || (hoped(lane) && faulty.count(lane));
    if (certain(lane))
      unknown.insert(rowOf(lane));
  }
  if (known)
    unknown.erase(static_cast<std::uint32_t>(index(event.destination)));
  for (std::uint32_t row = 0; known && question.scalarHolds && event.destination == Pipe::S && row < kPipeCount; ++row)
    unknown.erase(row);
}

} // namespace ptosync
