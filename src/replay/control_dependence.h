// Which blocks run only if a branch goes one way.
//
// By post-dominators: a block depends on a branch if it is sure to run behind one way of it and not behind the other. A
// block from which no path leads to the kernel's end depends on every branch that leads to it. Tested by
// tests/replay/ways_test.cpp.
#pragma once

#include "replay/loop_nest.h"

#include <vector>

namespace ptosync::replay {

class ControlDependence {
public:
  explicit ControlDependence(const Kernel &kernel);

  /// The blocks that depend on the branch at the end of `block`, or on a branch in such a block.
  std::vector<bool> below(BlockId block) const;
  /// The blocks that run only behind the way of the branch that leads to `next`.
  std::vector<bool> behind(BlockId block, BlockId next) const;

private:
  bool dominates(BlockId above, BlockId block) const;

  std::vector<std::vector<BlockId>> successors, predecessors, direct; // direct: by branch
  std::vector<BlockId> dominator;                                     // immediate; kNone: not reachable
};

} // namespace ptosync::replay
