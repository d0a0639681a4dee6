// Which blocks control can get to from which, over at least one edge.
//
// Within an iteration: back edges of a loop, and of all loops around it, are not taken; those of loops inside it are.
// Blocks that the kernel never reaches reach nothing. Tested by tests/ordering/reachability_test.cpp.
#pragma once

#include "ordering/bit_set.h"
#include "ordering/flow_graph.h"

namespace ptosync {

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
