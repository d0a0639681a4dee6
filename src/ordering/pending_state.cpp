#include "ordering/pending_state.h"

namespace ptosync {

PendingState::PendingState(const Program &program)
    : tokens(program.flags.size(), Token::Empty), sets(program.rowCount(), BitSet(program.bits)) {}

void age(const Program &program, BitSet &row, LoopId loop) {
  const auto [first, end] = program.bitsIn(loop);
  row.takeOut(first, end, [&](std::uint32_t bit) { row.insert(program.agedBit(bit, loop)); });
}

bool PendingState::join(const Program &program, const PendingState &source, LoopId around) {
  PendingState aged;
  if (around != kNone) {
    aged = source;
    for (BitSet &set : aged.sets)
      age(program, set, around);
  }
  const PendingState &coming = around == kNone ? source : aged;
  if (!reached()) {
    *this = coming;
    return true;
  }
  bool grown = false;
  for (std::size_t i = 0; i < sets.size(); ++i)
    grown |= sets[i].unite(coming.sets[i]);
  return grown;
}

void PendingState::clearUnset(llvm::ArrayRef<Token> states) {
  for (std::size_t flag = 0; flag < states.size(); ++flag)
    if (states[flag] == Token::Empty)
      clearRow(kPipeCount + flag);
}

void PendingState::apply(const Program &program, const HazardModel &model, const Event &event) {
  switch (event.kind) {
  case Event::Kind::Access: pend(program.nodes[event.node]); break;
  case Event::Kind::Inside:
    if (!program.nodes[event.node].sets)
      pend(program.nodes[event.node]);
    break;
  case Event::Kind::Barrier:
    if (event.source == Pipe::All)
      for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
        clearRow(pipe);
    else
      rowToChange(index(event.source)).subtract(model.column(event.source));
    break;
  case Event::Kind::Set: applySet(model, event); break;
  case Event::Kind::Wait: applyWait(program, event); break;
  case Event::Kind::Get: applyGet(program, event); break;
  case Event::Kind::Release: applyRelease(program, model, event); break;
  }
  TokenStates::apply(program, event, tokens);
}

/// From now on the node may be running, for all but what is queued behind it on a pipe that it holds.
void PendingState::pend(const Node &node) {
  for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
    if (!node.holdsPipe || pipe != index(node.pipe))
      rowToChange(pipe).insert(node.firstBit);
  for (std::size_t flag = 0; flag < tokens.size(); ++flag)
    if (tokens[flag] != Token::Empty)
      rowToChange(kPipeCount + flag).insert(node.firstBit);
  pendForReleases(node.firstBit);
}

/// Whoever waits for a release that stands in front of it does not know it to be over.
void PendingState::pendForReleases(std::uint32_t bit) {
  for (std::size_t row = kPipeCount + tokens.size(); row < sets.size(); ++row)
    rowToChange(row).insert(bit);
}

/// It waits for the last release of its id by each other pipe, and so for all that were in front of them. A pipe that
/// has released nothing yet has a row with all that was started so far.
void PendingState::applyGet(const Program &program, const Event &event) {
  if (!event.orders)
    return;
  for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
    if (event.holdsDispatch || pipe == index(event.source))
      for (std::uint32_t buffer : event.buffers)
        rowToChange(pipe).intersect(row(program.rowOfBuffer(buffer)));
}

void PendingState::applyRelease(const Program &program, const HazardModel &model, const Event &event) {
  if (!event.orders)
    return;
  for (std::uint32_t buffer : event.buffers) {
    BitSet &known = rowToChange(program.rowOfBuffer(buffer));
    if (event.mode != BufferMode::Blocking) { // some reading: all that is bracketed is over by then, on every pipe
      known.clear();
      continue;
    }
    known = row(index(event.source));
    known.subtract(model.column(event.source));
  }
}

void PendingState::applySet(const HazardModel &model, const Event &event) {
  BitSet copy(row(index(event.source)));
  copy.subtract(model.column(event.source));
  for (std::uint32_t lane : event.lanes) {
    BitSet &known = rowToChange(kPipeCount + lane);
    if (event.lanes.size() == 1 && tokens[lane] == Token::Empty)
      known = copy;
    else
      known.unite(copy); // set while it may be set, or another lane: whoever waits knows the least of both
  }
}

void PendingState::applyWait(const Program &program, const Event &event) {
  std::uint32_t single = event.lanes.size() == 1 ? event.lanes[0] : kNone;
  if (single != kNone) {
    if (tokens[single] == Token::Full)
      for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
        if (event.holdsDispatch || pipe == index(event.destination))
          rowToChange(pipe).intersect(row(kPipeCount + single));
    clearRow(kPipeCount + single);
  }
  // Nothing later on its own pipe starts before the wait is over; the others do not know it.
  std::uint32_t bit = program.nodes[event.node].firstBit;
  for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
    if (!event.holdsDispatch && pipe != index(event.destination))
      rowToChange(pipe).insert(bit);
  for (std::size_t flag = 0; flag < tokens.size(); ++flag)
    if (tokens[flag] != Token::Empty && flag != single)
      rowToChange(kPipeCount + flag).insert(bit);
  pendForReleases(bit);
}

std::string PendingState::print(const Program &program) const {
  auto instance = [&](std::uint32_t bit) {
    const Node &node = program.nodes[program.nodeOfBit[bit]];
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    std::string text =
        " " + (instruction ? instruction->name : std::string("flag")) + "@" + std::to_string(node.statement->line);
    IterationDistance distance = program.distanceOf(bit);
    if (!distance.sameIteration())
      text += "-" + std::to_string(distance.count) + (distance.atLeast ? "+" : "");
    return text;
  };
  constexpr const char *kTokenNames[] = {"empty", "set", "maybe set", "overrun"};
  std::string text = reached() ? "" : "not reached\n";
  for (std::size_t i = 0; i < rows(); ++i) {
    if (row(i).empty())
      continue;
    if (i < kPipeCount) {
      text += pipeName(static_cast<Pipe>(i));
    } else if (i >= program.rowOfBuffer(0)) {
      const BufferRelease &release = program.buffers[i - program.rowOfBuffer(0)];
      text += std::string(pipeName(release.pipe)) + " releases buffer " + std::to_string(release.id);
    } else {
      const Flag &flag = program.flags[i - kPipeCount];
      text += std::string(pipeName(flag.source)) + "->" + std::string(pipeName(flag.destination)) + " " +
              std::to_string(flag.id) + " (" + kTokenNames[static_cast<std::size_t>(tokens[i - kPipeCount])] + ")";
    }
    text += ":";
    row(i).forEach([&](std::uint32_t bit) { text += instance(bit); });
    text += "\n";
  }
  return text;
}

} // namespace ptosync
