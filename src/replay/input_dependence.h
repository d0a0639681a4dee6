// Which conditions of a kernel depend on its inputs: arguments, the place of the core, what memory holds.
//
// A condition that does not is decided by constants alone: whenever a run gets there it goes the way it went in
// every other run. Over-approximate, through assignments and through the branches that decide whether they are
// made. A variable whose assignments are all made behind one way of a branch does not depend on that branch: where it
// is read, they have been made.
// Pointers are no inputs here: where they point to is no choice of a run.
// Tested by tests/replay/ways_test.cpp.
#pragma once

#include "replay/loop_nest.h"

#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

class InputDependence {
public:
  InputDependence(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments);

  bool depends(ExpressionId expression) const;
  bool depends(const Terminator &terminator) const {
    return terminator.kind == Terminator::Kind::Branch && depends(terminator.condition);
  }
  /// What an expression is computed from, through assignments: arguments by name, "get_block_idx()" and its like,
  /// "memory" for what is loaded or not followed.
  std::set<std::string> inputsOf(ExpressionId expression) const;

private:
  const Kernel &kernel;
  const std::set<std::uint32_t> &pointerArguments;
  std::vector<bool> byInput; // by variable
};

} // namespace ptosync::replay
