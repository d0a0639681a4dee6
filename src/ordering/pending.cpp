#include "ordering/pending.h"

#include <algorithm>

namespace ptosync {

Pending::Pending(const Program &program) : program(program), model(program) {
  for (StepId step = 0; step < program.blocks.size(); ++step)
    for (std::uint32_t i = 0; i < program.blocks[step].size(); ++i)
      if (program.blocks[step][i].site != kNone)
        siteEvents[program.blocks[step][i].site].push_back({step, i});
  solve();
}

bool Pending::isRemoved(const Event &event) const {
  return event.site != kNone && (removedSites.count(event.site) || trialSites.count(event.site));
}

std::uint32_t Pending::agedBit(std::uint32_t bit, LoopId loop) const {
  const Node &node = program.nodes[program.nodeOfBit[bit]];
  if (loop == kNone || !program.graph->encloses(loop, node.loop))
    return bit;
  IterationDistance distance = program.distanceOf(bit);
  if (distance.loop != kNone && distance.loop != loop && program.graph->encloses(distance.loop, loop))
    return bit; // already an earlier iteration of a loop further out
  return program.bitAt(node, loop, distance.loop == loop ? distance.count + 1 : 1);
}

void Pending::age(BitSet &row, LoopId loop) const {
  BitSet aged(program.bits);
  row.forEach([&](std::uint32_t bit) { aged.insert(agedBit(bit, loop)); });
  row = std::move(aged);
}

bool Pending::joinInto(State &target, const State &source, const Edge &edge) const {
  auto agedRow = [&](const BitSet &row) {
    BitSet copy = row;
    if (edge.around != kNone)
      age(copy, edge.around);
    return copy;
  };
  if (!target.reached) {
    target = source;
    if (edge.around != kNone)
      for (BitSet &row : target.rows)
        age(row, edge.around);
    return true;
  }
  bool changed = false;
  for (std::size_t i = 0; i < target.rows.size(); ++i)
    changed |= edge.around == kNone ? target.rows[i].unite(source.rows[i])
                                    : target.rows[i].unite(agedRow(source.rows[i]));
  for (std::size_t i = 0; i < target.tokens.size(); ++i)
    if (target.tokens[i] != source.tokens[i] && target.tokens[i] != Token::Maybe) {
      target.tokens[i] = Token::Maybe;
      changed = true;
    }
  return changed;
}

void Pending::applyEvent(State &state, const Event &event) const {
  switch (event.kind) {
  case Event::Kind::Access: {
    std::uint32_t bit = program.nodes[event.node].firstBit;
    for (std::uint32_t lane : program.nodes[event.node].inside)
      if (state.tokens[lane] != Token::Empty)
        state.tokens[lane] = Token::Maybe; // the call may have consumed the kernel's own setting
    for (std::size_t row = 0; row < kPipeCount; ++row)
      state.rows[row].insert(bit);
    for (std::size_t flag = 0; flag < state.tokens.size(); ++flag)
      if (state.tokens[flag] != Token::Empty)
        state.rows[kPipeCount + flag].insert(bit);
    return;
  }
  case Event::Kind::Barrier:
    if (event.source == Pipe::All)
      for (std::size_t row = 0; row < kPipeCount; ++row)
        state.rows[row].clear();
    else
      state.rows[index(event.source)].subtract(model.column(event.source));
    return;
  case Event::Kind::Set: {
    BitSet row = state.rows[index(event.source)];
    row.subtract(model.column(event.source));
    for (std::uint32_t lane : event.lanes) {
      BitSet &kept = state.rows[kPipeCount + lane];
      Token &token = state.tokens[lane];
      if (event.lanes.size() == 1 && token == Token::Empty) {
        kept = row;
        token = Token::Full;
      } else {
        // Set while it may be set, or perhaps another lane: whoever waits knows the least of both.
        kept.unite(row);
        token = Token::Maybe;
      }
    }
    return;
  }
  case Event::Kind::Wait:
    for (std::uint32_t lane : event.lanes) {
      Token &token = state.tokens[lane];
      if (event.lanes.size() > 1) {
        token = Token::Maybe;
        continue;
      }
      if (token == Token::Full)
        state.rows[index(event.destination)].intersect(state.rows[kPipeCount + lane]);
      token = Token::Empty;
      state.rows[kPipeCount + lane].clear();
    }
    // Nothing later on its own pipe starts before the wait is over; the others do not know it.
    for (std::size_t row = 0; row < kPipeCount; ++row)
      if (row != index(event.destination))
        state.rows[row].insert(program.nodes[event.node].firstBit);
    for (std::size_t flag = 0; flag < state.tokens.size(); ++flag)
      if (state.tokens[flag] != Token::Empty)
        state.rows[kPipeCount + flag].insert(program.nodes[event.node].firstBit);
    return;
  }
}

void Pending::recordEvent(const State &state, StepId step, std::uint32_t at) {
  const Event &event = program.blocks[step][at];
  if (event.kind == Event::Kind::Access)
    return;
  Stored &record = stored[{step, at}];
  record.rows.clear();
  auto keep = [&](std::size_t row) { record.rows[row] = state.rows[row]; };
  if (event.kind == Event::Kind::Barrier && event.source == Pipe::All)
    for (std::size_t row = 0; row < kPipeCount; ++row)
      keep(row);
  else
    keep(index(event.kind == Event::Kind::Wait ? event.destination : event.source));
  record.tokens.clear();
  for (std::uint32_t lane : event.lanes) {
    keep(kPipeCount + lane);
    record.tokens.push_back(state.tokens[lane]);
    Token expected = event.kind == Event::Kind::Set ? Token::Empty : Token::Full;
    if (event.kind == Event::Kind::Set)
      state.rows[index(event.source)].forEachShared(model.waits(lane), [&](std::uint32_t bit) {
        if (openSeen.insert({bit, event.node}).second)
          reuses.push_back({bit, event.node, HazardKind::FlagReuse, kNone, kNone});
        return true;
      });
    if (event.lanes.size() == 1 && state.tokens[lane] != expected)
      faults.push_back({step, at, lane, state.tokens[lane]});
  }
}

void Pending::checkConflicts(const State &state, NodeId node) {
  if (openOverflow)
    return;
  const BitSet &row = state.rows[index(program.nodes[node].pipe)];
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
void Pending::checkFences(const State &state, NodeId id) {
  const Node &node = program.nodes[id];
  auto note = [&](std::uint32_t bit) {
    const Node &earlier = program.nodes[program.nodeOfBit[bit]];
    bool relates = node.fence || (earlier.fence && !earlier.release);
    if (relates && earlier.statement != node.statement && fenceSeen.insert({program.nodeOfBit[bit], id}).second)
      fenceOrders.push_back({bit, id, HazardKind::Fence, kNone, kNone});
    return true;
  };
  const BitSet &row = state.rows[index(node.pipe)];
  if (node.fence)
    row.forEach(note);
  else
    row.forEachShared(model.fences(), note);
}

void Pending::transfer(State &state, StepId step, bool record) {
  for (std::uint32_t i = 0; i < program.blocks[step].size(); ++i) {
    const Event &event = program.blocks[step][i];
    if (record) {
      recordEvent(state, step, i);
      if (event.kind == Event::Kind::Access) {
        for (std::uint32_t lane : program.nodes[event.node].inside)
          if (state.tokens[lane] != Token::Empty)
            faults.push_back({step, i, lane, state.tokens[lane]});
        checkConflicts(state, event.node);
        checkFences(state, event.node);
      }
    }
    if (!isRemoved(event))
      applyEvent(state, event);
  }
}

void Pending::solve() {
  State empty;
  empty.rows.assign(kPipeCount + program.flags.size(), BitSet(program.bits));
  empty.tokens.assign(program.flags.size(), Token::Empty);
  entry.assign(program.blocks.size(), State{});
  const std::vector<StepId> &order = program.order;
  if (order.empty())
    return;
  entry[order.front()] = empty;
  entry[order.front()].reached = true;
  std::vector<bool> dirty(program.blocks.size(), false);
  dirty[order.front()] = true;
  for (bool again = true; again;) {
    again = false;
    for (StepId step : order) {
      if (!dirty[step])
        continue;
      dirty[step] = false;
      State state = entry[step];
      transfer(state, step, false);
      for (const Edge &edge : program.edges[step])
        if (joinInto(entry[edge.to], state, edge)) {
          dirty[edge.to] = true;
          again = true;
        }
    }
  }
  for (StepId step : order) {
    if (!entry[step].reached)
      continue;
    State state = entry[step];
    transfer(state, step, true);
    if (program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
      continue;
    for (std::size_t row = 0; row < kPipeCount; ++row) {
      bool found = false;
      state.rows[row].forEach([&](std::uint32_t bit) {
        const Node &node = program.nodes[program.nodeOfBit[bit]];
        if (!found && !node.fence && !node.accesses.empty())
          atEnd.push_back({step, bit});
        found = found || (!node.fence && !node.accesses.empty());
      });
    }
    for (std::uint32_t flag = 0; flag < state.tokens.size(); ++flag)
      if (state.tokens[flag] != Token::Empty)
        faults.push_back({step, kNone, flag, state.tokens[flag]});
  }
}

const BitSet *Pending::rowBefore(StepId step, std::uint32_t event, std::size_t row) const {
  auto record = stored.find({step, event});
  if (record == stored.end())
    return nullptr;
  auto found = record->second.rows.find(row);
  return found == record->second.rows.end() ? nullptr : &found->second;
}

BitSet Pending::rowAfter(StepId step, std::uint32_t at, Pipe pipe) const {
  const Event &event = program.blocks[step][at];
  const Stored &record = stored.at({step, at});
  BitSet row = record.rows.at(index(pipe));
  if (isRemoved(event))
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
