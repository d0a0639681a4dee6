// The shape of a kernel's control flow: reachable edges, reverse post-order, dominators, loops, and reachability.
//
// Loops are natural loops: a back edge goes to a block that dominates its source. So `for`, `while` and emitted `goto`
// forms look alike. A cycle that is no natural loop makes the graph irreducible; callers then leave the kernel alone.
// Tested by tests/ordering/flow_graph_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "ordering/bit_set.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ptosync {

using LoopId = std::uint32_t;
class Reachability; // below

struct Loop {
  BlockId header = kNone;
  LoopId parent = kNone;
  std::uint32_t depth = 1;      // 1 for an outermost loop
  std::vector<BlockId> latches; // sources of its back edges
  std::vector<BlockId> blocks;  // ascending, inner loops included
};

class FlowGraph {
public:
  explicit FlowGraph(const Kernel &kernel);

  bool reducible() const { return isReducible; }
  const std::vector<BlockId> &order() const { return reversePostOrder; }
  bool reachable(BlockId block) const { return position[block] != kNone; }
  const std::vector<BlockId> &successors(BlockId block) const { return next[block]; }
  const std::vector<BlockId> &predecessors(BlockId block) const { return previous[block]; }
  bool dominates(BlockId above, BlockId below) const;
  /// Returns the last block that every way to a reachable block passes before it; the entry block's own is itself.
  BlockId immediateDominatorOf(BlockId block) const { return immediateDominator[block]; }
  const std::vector<Loop> &loops() const { return loopList; }
  /// Returns the innermost loop around a block; kNone outside all loops.
  LoopId loopOf(BlockId block) const { return innermost[block]; }
  bool loopContains(LoopId loop, BlockId block) const;
  bool encloses(LoopId outer, LoopId inner) const;
  /// Returns true if whatever goes round the loop has run the block.
  bool everyIteration(LoopId loop, BlockId block) const;
  /// Returns the innermost loop around both; kNone if there is none.
  LoopId commonLoop(LoopId a, LoopId b) const;
  std::uint32_t depthOf(LoopId loop) const { return loop == kNone ? 0 : loopList[loop].depth; }
  /// Returns the nearest later block that runs once for each time that `block` runs: dominated by it, in the same
  /// loops, and on every way from it to the end of the kernel or of the iteration. kNone if there is none.
  BlockId nextEquivalent(BlockId block) const;
  /// Returns the block whose next equivalent one `block` is.
  BlockId previousEquivalent(BlockId block) const;
  /// Returns the loop whose back edge from -> to is; kNone for a forward edge.
  LoopId backEdge(BlockId from, BlockId to) const;
  /// Returns true if control can get from `from` to `to` over at least one edge.
  bool reaches(BlockId from, BlockId to) const;

private:
  void computeOrder(const Kernel &kernel);
  void computeDominators();
  void findLoops();
  void nestLoops();

  std::vector<std::vector<BlockId>> next, previous;
  std::vector<BlockId> reversePostOrder;
  std::vector<std::uint32_t> position; // in reversePostOrder
  std::vector<BlockId> immediateDominator;
  std::vector<Loop> loopList;
  std::vector<LoopId> innermost;
  bool isReducible = true;
  using PostDominators = std::vector<BlockId>; // by block: the immediate one; kNone if there is none
  const PostDominators &postDominatorsIn(LoopId loop) const;
  BlockId findEquivalent(BlockId block) const;
  mutable std::map<BlockId, BlockId> equivalent;           // lazily
  mutable std::map<LoopId, PostDominators> postDominators; // by the loop whose iteration is looked at; lazily
  mutable std::shared_ptr<const Reachability> reach;       // lazily
};

/// Which blocks control can get to from which, over at least one edge. Within an iteration the back edges of a loop,
/// and of all loops around it, are not taken; those of loops inside it are. Blocks that the kernel never reaches reach
/// nothing.
class Reachability {
public:
  /// `within`: the loop whose iteration is not left; kNone: every edge is taken.
  explicit Reachability(const FlowGraph &graph, LoopId within = kNone);
  bool reaches(BlockId from, BlockId to) const {
    return from < rows.size() && to < rows.size() && rows[from].contains(to);
  }

private:
  std::vector<BitSet> rows; // by block
};

} // namespace ptosync
