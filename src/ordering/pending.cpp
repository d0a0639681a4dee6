#include "ordering/pending.h"

#include "base/walk.h"

#include <algorithm>
#include <iterator>

namespace ptosync {

Pending::Pending(const Program &program, SyncLayout layout)
    : program(program), model(program), obligations(program, model), currentLayout(std::move(layout)),
      siteOfNode(program.nodes.size(), kNone) {
  for (StepId step = 0; step < program.steps.size(); ++step)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.site == kNone)
        continue;
      siteEvents[event.site].push_back({step, i});
      if (event.node != kNone)
        siteOfNode[event.node] = event.site;
    }
  for (std::uint32_t i = 0; i < program.order.size(); ++i)
    position[program.order[i]] = i;
  tokenStates = std::make_shared<TokenStates>(program, currentLayout);
  inputFaults = tokenStates->faults();
  solve();
  findUnreached();
}

/// Of a block that is copied for the phases of a loop some copies may be reached and others not: those that are not are
/// phases in which it does not run.
void Pending::findUnreached() {
  std::vector<bool> comes(program.kernel->blocks.size(), false);
  for (StepId step : program.order)
    if (entry[step].reached())
      comes[program.blockOf[step]] = true;
  for (BlockId block : program.graph->order())
    if (!comes[block])
      for (const Event &event : program.steps[block])
        if (event.site != kNone) {
          unreachedSites.insert(event.site);
          for (std::uint32_t lane : event.lanes)
            unreachedUses.try_emplace(lane, event.site);
        }
}

SiteId Pending::unreachedUse(std::uint32_t flag) const {
  auto use = unreachedUses.find(flag);
  return use == unreachedUses.end() ? kNone : use->second;
}

const std::vector<EventKey> &Pending::eventsOf(SiteId site) const {
  static const std::vector<EventKey> none;
  auto found = siteEvents.find(site);
  return found == siteEvents.end() ? none : found->second;
}

/// Keeps what trials and evidence ask for about a sync event.
void Pending::storeEvent(const PendingState &state, EventKey key) {
  const Event &event = program.steps[key.first][key.second];
  if (event.kind == Event::Kind::Access || event.kind == Event::Kind::Inside)
    return;
  Stored &record = stored[key];
  record.rows.clear();
  auto keep = [&](std::size_t row) { record.rows.insert_or_assign(row, BitSet(state.row(row))); };
  if (event.kind == Event::Kind::Barrier && event.source == Pipe::All)
    for (std::size_t row = 0; row < kPipeCount; ++row)
      keep(row);
  else
    keep(index(event.kind == Event::Kind::Wait ? event.destination : event.source));
  record.tokens.clear();
  for (std::uint32_t lane : event.lanes) {
    keep(kPipeCount + lane);
    record.tokens.push_back(state.tokens[lane]);
  }
}

std::vector<OpenObligation> Pending::open(ObligationKind kind) const {
  std::vector<OpenObligation> found;
  std::copy_if(openList.begin(), openList.end(), std::back_inserter(found),
               [kind](const OpenObligation &open) { return open.kind() == kind; });
  return found;
}

PendingState Pending::enter(StepId step) const {
  PendingState state = entry[step];
  state.tokens = tokenStates->entry(step);
  return state;
}

/// Events between two states that are kept inside a step.
std::uint32_t Pending::strideOf(StepId step) const {
  constexpr std::uint32_t kLeast = 8, kMostStates = 64;
  return std::max(kLeast, static_cast<std::uint32_t>(program.steps[step].size()) / kMostStates);
}

/// Keeps the state in front of `place`, and of what was put there, if it is one of those to be kept.
void Pending::keepInner(const PendingState &state, EventKey place) {
  std::uint32_t stride = strideOf(place.first);
  if (place.second == 0 || place.second % stride != 0)
    return;
  std::vector<PendingState> &states = inner[place.first];
  std::size_t number = place.second / stride - 1;
  if (number >= states.size())
    states.resize(number + 1);
  states[number] = state;
  states[number].clearUnset(state.tokens);
}

/// The last position not behind `place` of which the state is kept, and the state; 0 and null for the step's entry.
std::pair<std::uint32_t, const PendingState *> Pending::innerBefore(EventKey place) const {
  auto states = inner.find(place.first);
  std::uint32_t stride = strideOf(place.first), number = place.second / stride;
  if (states == inner.end() || number == 0)
    return {0, nullptr};
  number = std::min(number, static_cast<std::uint32_t>(states->second.size()));
  return {number * stride, &states->second[number - 1]};
}

void Pending::solve() {
  entry.assign(program.steps.size(), PendingState());
  const std::vector<StepId> &order = program.order;
  if (order.empty())
    return;
  entry[order.front()] = PendingState(program);
  Worklist work(order);
  work.add(order.front());
  while (std::optional<StepId> step = work.next()) {
    PendingState state = enter(*step);
    for (const Event &event : program.steps[*step])
      if (!currentLayout.removed(event.site))
        state.apply(program, model, event);
    for (const Edge &edge : program.edges[*step])
      if (entry[edge.to].join(program, state, edge.around))
        work.add(edge.to);
  }
  const BitSet followed = followedBySyncs();
  for (StepId step : order)
    if (entry[step].reached()) {
      storeStep(step);
      findOpen(step, followed);
    }
}

/// Keeps the state in front of each sync of a step, of those that are out too.
void Pending::storeStep(StepId step) {
  PendingState state = enter(step);
  for (std::uint32_t i = 0; i <= program.steps[step].size(); ++i) {
    keepInner(state, {step, i});
    for (EventKey key : currentLayout.insertedAt({step, i})) {
      storeEvent(state, key);
      state.apply(program, model, program.steps[key.first][key.second]);
    }
    if (i == program.steps[step].size())
      break;
    const Event &event = program.steps[step][i];
    if (event.kind != Event::Kind::Access && currentLayout.moved({step, i}))
      continue;
    storeEvent(state, {step, i});
    if (!currentLayout.removed(event.site))
      state.apply(program, model, event);
  }
}

/// What the input leaves open.
void Pending::findOpen(StepId step, const BitSet &followed) {
  PendingState state = enter(step);
  for (const Event &event : program.steps[step]) {
    if (currentLayout.removed(event.site))
      continue;
    findOpenAt(event, state);
    state.apply(program, model, event);
  }
  if (program.kernel->blocks[program.blockOf[step]].terminator.kind == Terminator::Kind::Return)
    findOpenAtEnd(state, step, followed);
}

void Pending::findOpenAt(const Event &event, const PendingState &state) {
  std::optional<std::size_t> row = obligations.rowOf(event);
  if (!row)
    return;
  obligations.forEachAt(event, state.row(*row), [&](const Obligation &open) {
    bool conflict = open.kind() == ObligationKind::Conflict;
    if (conflict && tooManyOpen())
      return false;
    if (openSeen.emplace(open.pair.bit, open.pair.later, open.kind()).second) {
      openList.push_back({open, kNone});
      openConflicts += conflict;
    }
    return true;
  });
}

/// Instances behind which, on some path, a sync stands that may tell somebody of their completion. Of what no sync
/// follows, such as a fence behind the kernel's own end fence, no edit can change when it is over.
BitSet Pending::followedBySyncs() const {
  auto tells = [&](const Event &event) {
    return !currentLayout.removed(event.site) && (event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait ||
                                                  (event.kind == Event::Kind::Barrier && event.source == Pipe::All));
  };
  std::vector<std::vector<StepId>> predecessors(program.steps.size());
  for (StepId step : program.order)
    for (const Edge &edge : program.edges[step])
      predecessors[edge.to].push_back(step);
  Walk<StepId> leading; // steps from whose end a sync is reached
  for (StepId step : program.order)
    if (std::any_of(program.steps[step].begin(), program.steps[step].end(), tells))
      for (StepId before : predecessors[step])
        leading.reach(before);
  while (std::optional<StepId> step = leading.next())
    for (StepId before : predecessors[*step])
      leading.reach(before);
  BitSet followed(program.bits);
  for (StepId step : program.order) {
    bool behind = leading.reached(step);
    for (auto event = program.steps[step].rbegin(); event != program.steps[step].rend(); ++event) {
      if (behind && event->node != kNone)
        for (std::uint32_t i = 0; i < program.bitCount(program.nodes[event->node]); ++i)
          followed.insert(program.nodes[event->node].firstBit + i);
      behind = behind || tells(*event);
    }
  }
  return followed;
}

void Pending::findOpenAtEnd(const PendingState &state, StepId step, const BitSet &followed) {
  BitSet running(program.bits);
  for (std::size_t row = 0; row < kPipeCount; ++row)
    running.unite(state.row(row));
  running.intersect(followed);
  obligations.forEachAtEnd(running, [&](const Obligation &open) {
    openList.push_back({open, step});
    return true;
  });
}

const BitSet *Pending::rowBefore(StepId step, std::uint32_t event, std::size_t row) const {
  auto record = stored.find({step, event});
  if (record == stored.end())
    return nullptr;
  auto found = record->second.rows.find(row);
  return found == record->second.rows.end() ? nullptr : &found->second;
}

BitSet Pending::rowAfter(StepId step, std::uint32_t at, Pipe pipe) const {
  const Event &event = program.steps[step][at];
  const Stored &record = stored.at({step, at});
  BitSet row = record.rows.at(index(pipe));
  if (currentLayout.removed(event.site))
    return row;
  if (event.kind == Event::Kind::Barrier && event.source == Pipe::All)
    row.clear();
  else if (event.kind == Event::Kind::Barrier && event.source == pipe)
    row.subtract(model.column(pipe));
  else if (event.kind == Event::Kind::Wait && event.destination == pipe && event.lanes.size() == 1 &&
           record.tokens[0] == Token::Full)
    row.intersect(record.rows.at(kPipeCount + event.lanes[0]));
  return row;
}

} // namespace ptosync
