// What the branches that were taken on the way to a place say about a condition there.
//
//   if (n == 0) return;      // behind it: n is not 0
//   if (0 >= n) return;      // never, where n has no sign
//   if (first < end)
//     for (i = first; i < end; ++i)   // goes round at least once
//
// A branch of which one way dominates a place has gone that way whenever control is there; what its condition is made
// of has the same value still, unless an iteration of its scope has ended. From that follow the same comparison and its
// like (`a < b` denies `b <= a`), and bounds of the two sides, by which another comparison may be decided.
// Sound: only dominating branches count, and values that are one for each choice of their atoms.
// Does not combine conditions beyond bounds, nor follow branches that join before the place (branch_plan.h does).
// Tested by tests/ordering/implied_condition_test.cpp; against all runs by scalar_programs_test.cpp.
#pragma once

#include "ordering/flow_graph.h"
#include "ordering/scalar_value.h"

#include <optional>
#include <vector>

namespace ptosync {

class ImpliedConditions {
public:
  /// `conditions`: by block, what its branch asks where that is known; may grow while blocks are looked at in order.
  ImpliedConditions(const Kernel &kernel, const FlowGraph &graph, const ScalarAlgebra &scalars,
                    const std::vector<std::optional<ScalarValue>> &conditions)
      : kernel(kernel), graph(graph), scalars(scalars), conditions(conditions) {}

  /// Of a condition at the end of a block: true or false if it always holds there or never does. Empty: not known.
  std::optional<bool> at(const ScalarValue &condition, BlockId block) const;
  /// Of the test of a loop, in the iteration that begins where control comes from `from`, a block outside of it.
  std::optional<bool> atFirst(const ScalarValue &condition, LoopId loop, BlockId from) const;

private:
  /// A condition that held or failed.
  struct Fact {
    ScalarValue condition;
    bool held;
  };

  std::vector<Fact> factsAt(BlockId block) const;
  std::optional<Fact> factOn(BlockId from, BlockId to, BlockId at) const;
  bool isSameThere(const ScalarValue &value, BlockId from, BlockId to, BlockId at) const;
  std::optional<bool> decide(const ScalarValue &condition, const std::vector<Fact> &facts) const;
  std::optional<bool> decide(ScalarComparison asked, const std::vector<Fact> &facts) const;
  ScalarValue within(ScalarValue value, const std::vector<ScalarComparison> &known) const;

  const Kernel &kernel;
  const FlowGraph &graph;
  const ScalarAlgebra &scalars;
  const std::vector<std::optional<ScalarValue>> &conditions;
};

/// True if the two describe one number: whatever the atoms are, and wherever the two stand in one iteration of each.
bool describeSame(const ScalarValue &a, const ScalarValue &b);
/// True if one comparison holds where the other does and nowhere else, false if it holds where the other does not.
/// Empty: neither is known.
std::optional<bool> asksSame(const ScalarComparison &a, const ScalarComparison &b);
/// What a comparison is in the first iteration of a loop.
ScalarComparison inFirstIteration(ScalarComparison comparison, LoopId loop, const ScalarAlgebra &scalars);

} // namespace ptosync
