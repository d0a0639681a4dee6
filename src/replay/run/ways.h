// The ways that a kernel may go: both ways of its branches, and both arms of `a ? b : c`.
//
//   corpus/rare_paths: for (v4 = 0; v4 < v2; v4 += 1) { if (v3 % 1009 == 640) ... }
//   open, since arguments decide them: the loop's test, both ways, and the branch, both ways
//   corpus/every_fourth_iteration: for (v10 = 0; v10 < 12; v10 += 1) { if (v10 % 4 == 3) ... }
//   closed, since constants decide: each run goes the same ways, so that nothing is to be sought
//
// A way is open if inputs decide it: arguments, the place of the core, what memory holds. Then some run is to be found
// that takes it, or the answer is not an agreement. What lies behind a closed way that no run takes is dead.
// Over-approximates what inputs decide, through assignments and through the branches that decide whether they are made.
// A variable whose assignments are all made behind one way of a branch does not depend on that branch: where it is
// read, they have been made. Pointers are no inputs here: where they point to is no choice of a run. Tested by
// tests/replay/run/ways_test.cpp.
#pragma once

#include "replay/run/control_flow.h"

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

struct Way {
  enum class Kind : std::uint8_t { Branch, Choice };
  Kind kind = Kind::Branch;
  std::uint32_t what = 0; // the block of the branch, or the expression
  bool taken = false;     // the condition holds
  auto operator<=>(const Way &) const = default;
};

/// Which conditions of a kernel depend on its inputs.
class InputDependence {
public:
  InputDependence(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments);

  bool depends(ExpressionId expression) const;
  bool depends(const Terminator &terminator) const {
    return terminator.kind == Terminator::Kind::Branch && depends(terminator.condition);
  }
  /// Returns what an expression is computed from, through assignments: arguments by name, "get_block_idx()" and its
  /// like, "memory" for what is loaded or not followed.
  std::set<std::string> inputsOf(ExpressionId expression) const;

private:
  const Kernel &kernel;
  const std::set<std::uint32_t> &pointerArguments;
  std::vector<bool> byInput; // by variable
};

class Ways {
public:
  Ways(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments);

  /// Returns the open ways, in blocks that some path leads to; ascending.
  const std::vector<Way> &open() const { return openWays; }
  struct Choice {
    BlockId block = kNone;
    std::uint32_t line = 0; // of its statement
  };
  /// Returns every `a ? b : c` in such blocks.
  const std::map<ExpressionId, Choice> &choices() const { return all; }
  std::uint32_t lineOf(const Way &way) const;
  BlockId blockOf(const Way &way) const;
  ExpressionId conditionOf(const Way &way) const;
  /// Returns what its condition depends on, as InputDependence names it.
  std::set<std::string> inputsOf(const Way &way) const { return dependence.inputsOf(conditionOf(way)); }
  /// Returns true if an operand or an event id of the statement is such a choice: of others a run that only looks at
  /// the control flow need not know the values.
  bool choosesOperands(const Statement &statement) const { return choosing.count(&statement) != 0; }
  /// Returns, by block, false if no run leads there, given the ways that complete runs have taken, and those that are
  /// impossible.
  std::vector<bool> possible(const std::set<Way> &taken, const std::set<Way> &impossible = {}) const;

private:
  void collect(const Statement &statement, BlockId block);
  void collect(ExpressionId expression, const Statement *statement, const Choice &place);

  const Kernel &kernel;
  const InputDependence dependence;
  std::vector<Way> openWays;
  std::map<ExpressionId, Choice> all;
  std::set<const Statement *> choosing;
  std::vector<bool> closed; // by block: constants alone decide its branch
};

} // namespace ptosync::replay
