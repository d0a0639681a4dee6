#include "tokens/intermittent.h"

#include "base/walk.h"
#include "ordering/condition.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

/// What the iterations of a loop do about a block, told apart as far as the loop's phases are.
class LoopTrips {
public:
  LoopTrips(const Program &program, LoopId loop) : program(program), loop(loop) {}

  /// True if the iterations that run the block are known to be one after the other: no test on the way to it changes
  /// its answer more than once.
  bool inARow(BlockId block) const {
    const std::vector<BlockId> &blocks = program.graph->loops()[loop].blocks;
    return program.graph->everyIteration(loop, block) || std::any_of(blocks.begin(), blocks.end(), [&](BlockId test) {
             return leadsInARow(test, block) && inARow(test);
           });
  }

  /// True if iterations that begin alike may run the block or not.
  bool undecided(BlockId block) const {
    for (StepId header : program.order)
      if (program.blockOf[header] == program.graph->loops()[loop].header && passes(header, block) &&
          goesRoundWithout(header, block))
        return true;
    return false;
  }

private:
  /// True if the branch at the end of `test` is what decides whether the block is run, and changes once at most.
  bool leadsInARow(BlockId test, BlockId block) const {
    const FlowGraph &graph = *program.graph;
    if (test == block || !program.conditions[test] || !graph.dominates(test, block))
      return false;
    LoopId inner = graph.loopOf(test);
    bool first = inner != loop && graph.loops()[inner].header == test;
    if (!changesOnceAtMost(*program.conditions[test], loop, first ? inner : kNone, *program.scalars, graph))
      return false;
    const Terminator &end = program.kernel->blocks[test].terminator;
    for (BlockId arm : {end.whenTrue, end.whenFalse})
      if (end.whenTrue != end.whenFalse && graph.predecessors(arm).size() == 1 && graph.dominates(arm, block))
        return std::none_of(program.order.begin(), program.order.end(),
                            [&](StepId step) { return program.blockOf[step] == arm && goesRoundWithout(step, block); });
    return false;
  }

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
    LoopTrips trips(program, loop);
    for (BlockId block : blocks)
      if (inside(block) && !trips.inARow(block) && trips.undecided(block))
        return true;
  }
  return false;
}

} // namespace ptosync
