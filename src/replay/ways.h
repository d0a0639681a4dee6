// The ways that a kernel may go: both ways of its branches, and both arms of `a ? b : c`.
//
// A way is open if inputs decide it (input_dependence.h): then some run is to be found that takes it. What constants
// alone decide goes one way in every run, and what lies behind the other is dead.
// Tested by tests/replay/ways_test.cpp.
#pragma once

#include "replay/input_dependence.h"

#include <compare>
#include <map>
#include <set>
#include <vector>

namespace ptosync::replay {

class LoopNest;

struct Way {
  enum class Kind : std::uint8_t { Branch, Choice };
  Kind kind = Kind::Branch;
  std::uint32_t what = 0; // the block of the branch, or the expression
  bool taken = false;     // the condition holds
  auto operator<=>(const Way &) const = default;
};

class Ways {
public:
  Ways(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments);

  /// Those that inputs decide, in blocks that some path leads to; ascending.
  const std::vector<Way> &open() const { return openWays; }
  struct Choice {
    BlockId block = kNone;
    std::uint32_t line = 0; // of its statement
  };
  /// Every `a ? b : c` in such blocks.
  const std::map<ExpressionId, Choice> &choices() const { return all; }
  std::uint32_t lineOf(const Way &way) const;
  BlockId blockOf(const Way &way) const;
  ExpressionId conditionOf(const Way &way) const;
  /// What its condition depends on, as InputDependence names it.
  std::set<std::string> inputsOf(const Way &way) const { return dependence.inputsOf(conditionOf(way)); }
  /// True if an operand or an event id of the statement is such a choice: of others a run that only looks at the control
  /// flow need not know the values.
  bool choosesOperands(const Statement &statement) const { return choosing.count(&statement) != 0; }
  /// By block: false if no run leads there, given the ways that complete runs have taken, and those that are impossible.
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
