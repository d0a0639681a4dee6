#include "ordering/pending.h"

#include "kernel/worklist.h"

#include <algorithm>

namespace ptosync {

Pending::Pending(const Program &program) : program(program), model(program), siteOfNode(program.nodes.size(), kNone) {
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
}

const std::vector<EventKey> &Pending::eventsOf(SiteId site) const {
  static const std::vector<EventKey> none;
  auto found = siteEvents.find(site);
  return found == siteEvents.end() ? none : found->second;
}

/// Keeps what trials and evidence ask for about a sync event.
void Pending::storeEvent(const PendingState &state, EventKey key) {
  const Event &event = program.steps[key.first][key.second];
  if (event.kind == Event::Kind::Access)
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

void Pending::checkReuses(const PendingState &state, const Event &event) {
  if (event.kind != Event::Kind::Set)
    return;
  for (std::uint32_t lane : event.lanes)
    state.row(index(event.source)).forEachShared(model.waits(lane), [&](std::uint32_t bit) {
      if (openSeen.insert({bit, event.node}).second)
        reuses.push_back({bit, event.node, HazardKind::FlagReuse, kNone, kNone});
      return true;
    });
}

void Pending::checkConflicts(const PendingState &state, NodeId node) {
  if (openOverflow)
    return;
  BitView row = state.row(index(program.nodes[node].pipe));
  row.forEachShared(model.candidates(node), [&](std::uint32_t bit) {
    std::optional<ConflictPair> pair = model.conflict(bit, node);
    if (!pair)
      return true;
    OpenConflict open{*pair, Excuse::None, {}};
    open.silenced = model.excuse(bit, node, &open.rule);
    if (open.silenced != Excuse::Justified && openSeen.insert({bit, node}).second)
      openConflicts.push_back(std::move(open));
    openOverflow = openConflicts.size() >= kMostOpenConflicts;
    return !openOverflow;
  });
}

/// What a fence finds running, and which fences an instruction finds running, on its own pipe.
void Pending::checkFences(const PendingState &state, NodeId id) {
  const Node &node = program.nodes[id];
  auto note = [&](std::uint32_t bit) {
    const Node &earlier = program.nodes[program.nodeOfBit[bit]];
    if (program.fenceOrder(earlier, node) && fenceSeen.insert({program.nodeOfBit[bit], id}).second)
      fenceOrders.push_back({bit, id, HazardKind::Fence, kNone, kNone});
    return true;
  };
  BitView row = state.row(index(node.pipe));
  if (node.fence)
    row.forEach(note);
  else
    row.forEachShared(model.fences(), note);
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
      state.apply(program, model, event);
    for (const Edge &edge : program.edges[*step])
      if (entry[edge.to].join(program, state, edge.around))
        work.add(edge.to);
  }
  for (StepId step : order)
    if (entry[step].reached()) {
      storeStep(step);
      findOpen(step);
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
void Pending::findOpen(StepId step) {
  PendingState state = enter(step);
  for (const Event &event : program.steps[step]) {
    checkReuses(state, event);
    if (event.kind == Event::Kind::Access) {
      checkConflicts(state, event.node);
      checkFences(state, event.node);
    }
    state.apply(program, model, event);
  }
  if (program.kernel->blocks[program.blockOf[step]].terminator.kind == Terminator::Kind::Return)
    findOpenAtEnd(state, step);
}

void Pending::findOpenAtEnd(const PendingState &state, StepId step) {
  BitSet running(program.bits);
  for (std::size_t row = 0; row < kPipeCount; ++row)
    running.unite(state.row(row));
  running.forEach([&](std::uint32_t bit) {
    const Node &node = program.nodes[program.nodeOfBit[bit]];
    if (node.release || !node.accesses.empty()) // a signal or work: no wait, and no fence that does nothing itself
      atEnd.push_back({step, bit});
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
