#include "audit/call_count.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

/// True if `block` is on every way from the kernel's start to its end.
bool onEveryWay(const Program &program, BlockId block) {
  const FlowGraph &graph = *program.graph;
  return std::all_of(graph.order().begin(), graph.order().end(), [&](BlockId end) {
    return program.kernel->blocks[end].terminator.kind != Terminator::Kind::Return || graph.dominates(block, end);
  });
}

/// True if the loop is left from its header alone.
bool leavesAtHeader(const FlowGraph &graph, LoopId id) {
  const Loop &loop = graph.loops()[id];
  return std::all_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockId block) {
    const std::vector<BlockId> &next = graph.successors(block);
    return block == loop.header ||
           std::all_of(next.begin(), next.end(), [&](BlockId to) { return graph.loopContains(id, to); });
  });
}

} // namespace

std::optional<std::int64_t> timesRun(const Program &program, BlockId block) {
  const FlowGraph &graph = *program.graph;
  std::int64_t times = 1;
  for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent) {
    const Loop &facts = graph.loops()[loop];
    std::optional<std::int64_t> trips = program.scalars->trips(loop).trips;
    bool everyTrip = block != facts.header && leavesAtHeader(graph, loop) && graph.everyIteration(loop, block);
    if (!trips || *trips < 0 || *trips > kMost / std::max<std::int64_t>(times, 1) || !everyTrip)
      return std::nullopt;
    times *= *trips;
    block = facts.header;
  }
  return onEveryWay(program, block) ? std::optional(times) : std::nullopt;
}

} // namespace ptosync
