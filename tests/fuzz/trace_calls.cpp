// What calls that talk to other cores and ranks do in a trace, and calls that use flags inside. Stated here from
// docs/machine.md and docs/soundness.md, section "Fences", not read from the machine files.
#include "fuzz/trace_builder.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

constexpr std::int64_t kSignalPlace = 256; // in bytes of the last argument: FuzzKernel's signals lie there

bool begins(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

std::vector<Pipe> allPipes() { return {std::begin(kPipes), std::end(kPipes)}; }

} // namespace

const FuzzFifo *TraceBuilder::fifoOf(const Statement &statement) const {
  for (const Operand &operand : statement.operands)
    for (const FuzzFifo &fifo : kernel.fifos)
      if (operand.literal == fifo.object)
        return &fifo;
  return nullptr;
}

/// Empty for an instruction that is none of these.
std::optional<TraceBuilder::CallEffect> TraceBuilder::callEffectOf(const Statement &statement) const {
  const std::string &opcode = statement.opcode;
  if (opcode == "TNOTIFY")
    return CallEffect{TraceFence::All, allPipes(), {Pipe::S}, {}, -1, false};
  if (opcode == "SYNCALL" || opcode == "dcci" || opcode == "dsb")
    return CallEffect{TraceFence::All, allPipes(), {}, {}, -1, false};
  if (opcode == "TPUT") {
    CallEffect effect{TraceFence::All, allPipes(), {Pipe::MTE2, Pipe::MTE3}, {}, -1, false};
    for (std::int64_t id : {0, 1})
      for (auto [from, to] : {std::pair(Pipe::MTE2, Pipe::MTE3), std::pair(Pipe::MTE3, Pipe::MTE2)})
        effect.flags.push_back({from, to, id});
    return effect;
  }
  if (opcode == "TROWEXPAND" && trace.chip == Chip::A3)
    return CallEffect{TraceFence::None,
                      {Pipe::S, Pipe::V},
                      {Pipe::S, Pipe::V},
                      {{Pipe::V, Pipe::S, 0}, {Pipe::S, Pipe::V, 0}},
                      -1,
                      false};
  const FuzzFifo *fifo = fifoOf(statement);
  if (!fifo)
    return std::nullopt;
  bool tile = std::any_of(statement.operands.begin(), statement.operands.end(),
                          [](const Operand &operand) { return operand.kind == Operand::Kind::Tile; });
  // The scalar unit hands the call out and waits or signals whatever the queue does.
  if (begins(opcode, "TPOP<"))
    return CallEffect{TraceFence::Acquire, {Pipe::S, Pipe::MTE2}, {}, {}, fifo->flagBase, false};
  if (begins(opcode, "TFREE<"))
    return CallEffect{TraceFence::Release, {Pipe::S, Pipe::MTE2}, {}, {}, fifo->flagBase, false};
  if (begins(opcode, "TALLOC<"))
    return CallEffect{TraceFence::Acquire, {Pipe::S, Pipe::MTE3}, {}, {}, fifo->flagBase, false};
  if (begins(opcode, "TPUSH<") && tile)
    return CallEffect{TraceFence::All, {Pipe::S, Pipe::MTE3}, {Pipe::MTE3}, {}, -1, true};
  if (begins(opcode, "TPUSH<"))
    return CallEffect{TraceFence::Release, {Pipe::S, Pipe::MTE3}, {}, {}, fifo->flagBase, false};
  return std::nullopt;
}

std::vector<TraceAccess> TraceBuilder::accessesOfCall(const Statement &statement) const {
  std::vector<TraceAccess> accesses;
  auto add = [&](std::size_t operand, bool reads, bool writes, bool scratch) {
    TraceAccess access = accessOf(statement.operands[operand], scratch);
    access.reads = reads;
    access.writes = writes;
    if (access.rows > 0 && access.rowBytes > 0)
      accesses.push_back(access);
  };
  if (statement.opcode == "TNOTIFY") {
    TraceAccess access;
    access.space = static_cast<int>(Space::Global) + static_cast<int>(kernel.pointerArguments) - 1;
    access.base = kSignalPlace;
    access.rowBytes = access.stride = 4;
    access.reads = access.writes = true;
    accesses.push_back(access);
  } else if (statement.opcode == "TPUT") {
    add(0, false, true, false);
    add(1, true, false, false);
    add(2, true, true, true);
    add(3, true, true, true);
  } else if (statement.opcode == "TROWEXPAND") {
    add(0, false, true, false);
    add(1, true, false, false);
  } else if (statement.operands.size() == 2) { // a push of a tile
    add(1, true, false, false);
  }
  return accesses;
}

/// The sets in front of what the call does, or the waits behind it.
void TraceBuilder::addInside(const Statement &statement, const CallEffect &effect, TraceNode::Role role) {
  for (const TraceFlag &flag : effect.flags) {
    Pipe pipe = role == TraceNode::Role::Set ? std::get<0>(flag) : std::get<1>(flag);
    TraceNode &node = addNode(pipe, statement.line, {}, role);
    node.flag = flag;
    node.inside = true;
    node.occurrence = occurrences[statement.line];
  }
}

/// True if the statement is one of these calls.
bool TraceBuilder::runSpecial(const Statement &statement) {
  std::optional<CallEffect> effect = callEffectOf(statement);
  if (!effect)
    return false;
  addInside(statement, *effect, TraceNode::Role::Set);
  const std::vector<TraceAccess> accesses =
      effect->touching.empty() ? std::vector<TraceAccess>() : accessesOfCall(statement);
  for (Pipe pipe : effect->pipes) {
    bool touches = std::find(effect->touching.begin(), effect->touching.end(), pipe) != effect->touching.end();
    TraceNode &node = addNode(pipe, statement.line, touches ? accesses : std::vector<TraceAccess>());
    node.fence = effect->fence;
    node.signal = effect->signal;
    node.betweenCores = effect->betweenCores;
  }
  addInside(statement, *effect, TraceNode::Role::Wait);
  ++occurrences[statement.line];
  return true;
}

} // namespace ptosync::fuzz
