#include "tokens/intermittent.h"

#include "kernel/walk.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

/// What the iterations of a loop do about a block, told apart as far as the loop's phases are.
class LoopTrips {
public:
  LoopTrips(const Program &program, LoopId loop) : program(program), loop(loop) {}

  /// True if iterations that begin alike may run the block or not.
  bool undecided(BlockId block) const {
    for (StepId header : program.order)
      if (program.blockOf[header] == program.graph->loops()[loop].header && passes(header, block) &&
          goesRoundWithout(header, block))
        return true;
    return false;
  }

private:
  /// Follows one iteration until `stop` says so.
  template <typename Stop> bool follow(StepId header, Stop stop) const {
    Walk<StepId> walk({header});
    while (std::optional<StepId> step = walk.next()) {
      std::optional<bool> answer = stop(*step);
      if (answer && *answer)
        return true;
      if (answer)
        continue;
      for (const Edge &edge : program.edges[*step])
        if (edge.around != loop && program.graph->loopContains(loop, program.blockOf[edge.to]))
          walk.reach(edge.to);
    }
    return false;
  }

  bool passes(StepId header, BlockId block) const {
    return follow(header,
                  [&](StepId step) { return program.blockOf[step] == block ? std::optional(true) : std::nullopt; });
  }

  bool goesRoundWithout(StepId header, BlockId block) const {
    return follow(header, [&](StepId step) -> std::optional<bool> {
      if (program.blockOf[step] == block)
        return false;
      bool round = std::any_of(program.edges[step].begin(), program.edges[step].end(),
                               [&](const Edge &edge) { return edge.around == loop; });
      return round ? std::optional(true) : std::nullopt;
    });
  }

  const Program &program;
  LoopId loop;
};

} // namespace

bool isIntermittent(const Program &program, const Pending &pending, const Web &web) {
  const FlowGraph &graph = *program.graph;
  std::set<BlockId> blocks;
  for (SiteId site : web.sites())
    for (EventKey key : pending.eventsOf(site))
      blocks.insert(program.blockOf[key.first]);
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    auto inside = [&](BlockId block) { return graph.loopContains(loop, block); };
    if (std::all_of(blocks.begin(), blocks.end(), inside))
      continue;
    for (BlockId block : blocks) {
      const std::vector<BlockId> &latches = graph.loops()[loop].latches;
      bool everyTrip =
          std::all_of(latches.begin(), latches.end(), [&](BlockId latch) { return graph.dominates(block, latch); });
      if (inside(block) && !everyTrip && LoopTrips(program, loop).undecided(block))
        return true;
    }
  }
  return false;
}

} // namespace ptosync
