// Program: the bits of its nodes, orders relative to fences, flags in print.
#include "ordering/program.h"

#include <algorithm>
#include <numeric>

namespace ptosync {

namespace {

/// The pointer that a FIFO has as ring; empty if it is not one known argument.
std::optional<AtomId> ringOf(const Program &program, FifoId fifo) {
  VariableId memory = program.kernel->fifos[fifo].memory;
  if (memory == kNone)
    return std::nullopt;
  return program.scalars->algebra().pointerRoot(program.scalars->variable(memory));
}

/// True if `call`, on a FIFO, is a fence for `other`, which runs on another pipe.
bool fifoHolds(const Program &program, const Node &call, const Node &other) {
  if (other.fence) {
    if (other.fifo == kNone)
      return true;
    const Fifo &a = program.kernel->fifos[call.fifo], &b = program.kernel->fifos[other.fifo];
    return call.fifo == other.fifo || a.flagBase < 0 || a.flagBase == b.flagBase;
  }
  std::optional<AtomId> own = ringOf(program, call.fifo);
  for (const Access &access : other.accesses) {
    if (access.space != program.globalMemory)
      continue;
    std::optional<AtomId> root = program.scalars->algebra().pointerRoot(access.base);
    if (!own || !root || root == own || !program.rings.count(*root))
      return true;
    const ScalarAlgebra &scalars = program.scalars->algebra();
    if (program.arguments.related(scalars[*root].number, scalars[*own].number))
      return true;
  }
  return false;
}

/// True if the fence `call` is one for `other`, which runs on another pipe.
bool holds(const Program &program, const Node &call, const Node &other) {
  if (call.fifo != kNone)
    return fifoHolds(program, call, other);
  return !call.betweenCores || other.fence ||
         std::any_of(other.accesses.begin(), other.accesses.end(),
                     [&](const Access &access) { return program.machine->spaces()[access.space].sharedBetweenCores; });
}

/// True if both run on the scalar unit, in its order, and are fences at most because of what they write.
bool inScalarOrder(const Program &program, const Node &earlier, const Node &later) {
  auto ordinary = [](const Node &node) { return node.pipe == Pipe::S && (!node.fence || node.publishes); };
  return program.machine->rules().scalarInOrder() && ordinary(earlier) && ordinary(later);
}

} // namespace

bool Program::fenceOrder(const Node &earlier, const Node &later) const {
  bool work = earlier.fence || !earlier.accesses.empty();
  bool relates =
      (later.fence && (!later.acquire || earlier.fence)) || (earlier.fence && (!earlier.release || later.fence));
  // A signal is on its way whatever waits behind it: the wait cannot hold it up.
  bool signalThenWait = earlier.release && later.acquire && earlier.fifo != kNone && later.fifo != kNone;
  if (!work || !relates || signalThenWait || earlier.statement == later.statement)
    return false;
  if (earlier.pipe == later.pipe)
    return !inScalarOrder(*this, earlier, later);
  return (later.fence && holds(*this, later, earlier)) || (earlier.fence && holds(*this, earlier, later));
}

std::uint32_t Program::bitCount(const Node &node) const {
  return node.sets ? 0 : 1 + graph->depthOf(node.loop) * distances;
}

IterationDistance Program::distanceOf(std::uint32_t bit) const {
  const Node &node = nodes[nodeOfBit[bit]];
  std::uint32_t offset = bit - node.firstBit;
  if (offset == 0)
    return {};
  std::uint32_t depth = (offset - 1) / distances + 1, count = (offset - 1) % distances + 1;
  LoopId loop = node.loop;
  while (graph->depthOf(loop) > depth)
    loop = graph->loops()[loop].parent;
  return {loop, count, count == distances};
}

void Program::numberAgedBits() {
  std::vector<std::uint32_t> unchanged(bits);
  std::iota(unchanged.begin(), unchanged.end(), 0);
  agedBits.assign(graph->loops().size(), unchanged);
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    const Node &node = nodes[nodeOfBit[bit]];
    const IterationDistance distance = distanceOf(bit);
    for (LoopId loop = node.loop; loop != kNone; loop = graph->loops()[loop].parent) {
      if (distance.loop != kNone && distance.loop != loop && graph->encloses(distance.loop, loop))
        continue; // already an earlier iteration of a loop further out
      agedBits[loop][bit] = bitAt(node, loop, distance.loop == loop ? distance.count + 1 : 1);
    }
  }
}

std::uint32_t Program::bitAt(const Node &node, LoopId loop, std::uint32_t count) const {
  return node.firstBit + 1 + (graph->depthOf(loop) - 1) * distances + std::min(count, distances) - 1;
}

std::string flagText(const Flag &flag) {
  return "(" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) + ", " +
         std::to_string(flag.id) + ")";
}

} // namespace ptosync
