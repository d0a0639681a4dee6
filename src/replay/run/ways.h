// The ways that a kernel may go: both ways of its branches, both arms of `a ? b : c`, a loop that runs no time, and
// each number of an event id, of an array's index or of a comparison that something is computed with.
//
//   corpus/rare_paths: for (v4 = 0; v4 < v2; v4 += 1) { if (v3 % 1009 == 640) ... }
//   open, since arguments decide them: the loop's test, both ways, and the branch, both ways
//   corpus/every_fourth_iteration: for (v10 = 0; v10 < 12; v10 += 1) { if (v10 % 4 == 3) ... }
//   closed, since constants decide: each run goes the same ways, so that nothing is to be sought
//   wait_flag(PIPE_MTE2, PIPE_V, (event_t)(n % 3)): open are the numbers 0 to 7, of which 3 to 7 turn out impossible
//
// A way is open if inputs decide it: arguments, the place of the core, what memory holds. Then some run is to be found
// that takes it, or the answer is not an agreement. What lies behind a closed way that no run takes is dead.
// Over-approximates what inputs decide, through assignments and through the branches that decide whether they are made.
// A variable whose assignments are all made behind one way of a branch does not depend on that branch: where it is
// read, they have been made. Pointers are no inputs here: where they point to is no choice of a run. Of larger arrays
// and of computed addresses not every number is asked for. Tested by tests/replay/run/ways_test.cpp and, over all kinds
// of conditions, tests/replay/verify_test.cpp.
#pragma once

#include "replay/run/control_flow.h"

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

struct Way {
  enum class Kind : std::uint8_t {
    Branch,
    Choice,
    Skipped, // a loop is left before its first iteration
    Number,  // an event id, an index or a comparison is `number`
  };
  Kind kind = Kind::Branch;
  std::uint32_t what = 0; // Branch, Skipped: the block of the branch; Choice, Number: the expression
  bool taken = false;     // Branch, Choice: the condition holds; else true
  std::int64_t number = 0;
  auto operator<=>(const Way &) const = default;
};

/// Which conditions of a kernel depend on its inputs.
class InputDependence {
public:
  InputDependence(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments);

  bool depends(ExpressionId expression) const { return depends(expression, byInput); }
  /// Returns true if inputs have a part in its number, not only in how often it was counted up.
  bool isComputedFromInputs(ExpressionId expression) const { return depends(expression, computed); }
  bool depends(const Terminator &terminator) const {
    return terminator.kind == Terminator::Kind::Branch && depends(terminator.condition);
  }
  /// Returns what an expression is computed from, through assignments: arguments by name, "get_block_idx()" and its
  /// like, "memory" for what is loaded or not followed.
  std::set<std::string> inputsOf(ExpressionId expression) const;

private:
  bool depends(ExpressionId expression, const std::vector<bool> &variables) const;
  bool spread(std::vector<bool> &variables) const;

  const Kernel &kernel;
  const std::set<std::uint32_t> &pointerArguments;
  std::vector<bool> byInput, computed; // by variable: in any way; through assignments alone
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
  /// The most numbers of one event id or index that are told apart: those below.
  static constexpr std::int64_t kMostNumbers = 8;
  struct Number {
    Choice place;
    std::int64_t count = kMostNumbers; // it is below
  };
  /// Returns every event id, index of a small array and comparison in a value that inputs decide.
  const std::map<ExpressionId, Number> &numbers() const { return allNumbers; }
  /// Returns true if how often loops run decides it, so that no arithmetic of one run tells which inputs would turn it.
  /// An event id or an index that loops tell apart, `i % 2` or `cur = 1 - cur`, is none of these: its numbers come
  /// round.
  bool isCounted(const Way &way) const {
    return !(way.kind == Way::Kind::Number && isIndex(way)) && !dependence.isComputedFromInputs(conditionOf(way));
  }
  /// Returns true for a number that is an event id or an index.
  bool isIndex(const Way &way) const { return kernel.expressions[way.what].type.bits != 1; }
  std::uint32_t lineOf(const Way &way) const;
  BlockId blockOf(const Way &way) const;
  ExpressionId conditionOf(const Way &way) const;
  /// Returns what its condition depends on, as InputDependence names it.
  std::set<std::string> inputsOf(const Way &way) const { return dependence.inputsOf(conditionOf(way)); }
  /// Returns true if an operand or an event id of the statement is such a choice or number: of others a run that only
  /// looks at the control flow need not know the values.
  bool choosesOperands(const Statement &statement) const { return choosing.count(&statement) != 0; }
  /// Returns, by block, false if no run leads there, given the ways that complete runs have taken, and those that are
  /// impossible.
  std::vector<bool> possible(const std::set<Way> &taken, const std::set<Way> &impossible = {}) const;

private:
  void collect(const Statement &statement, BlockId block);
  void collect(ExpressionId expression, const Statement *statement, const Choice &place, bool inValue);
  void collectNumber(ExpressionId number, const Statement *statement, const Number &as);

  const Kernel &kernel;
  const InputDependence dependence;
  std::vector<Way> openWays;
  std::map<ExpressionId, Choice> all;
  std::map<ExpressionId, Number> allNumbers;
  std::set<const Statement *> choosing;
  std::vector<bool> closed; // by block: constants alone decide its branch
};

} // namespace ptosync::replay
