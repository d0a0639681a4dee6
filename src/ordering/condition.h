// What a branch asks, what the branches before it say about that, and how its answer changes while a loop goes round.
//
//   if (n == 0) return;                    ImpliedConditions: behind it, n is not 0
//   if (0 >= n) return;                    never taken, where n has no sign
//   if (first < end)
//     for (i = first; i < end; ++i)        goes round at least once
//       if (base + i < n) ..               changesOnceAtMost: a ragged end, true in a row of iterations and then not
//
// Sound: an answer holds for every run. What is not seen to be fixed or to grow evenly has none; only branches that
// dominate a place speak for it, and only values that are one for each choice of their atoms.
// It does not look at the equality of what moves (that holds for one iteration, between others), does not combine
// conditions beyond bounds, and does not follow branches that join before the place (branch_plan.h does).
// Tested by tests/ordering/condition_test.cpp, against concrete runs; against all runs by scalar_programs_test.cpp.
#pragma once

#include "ordering/flow_graph.h"
#include "ordering/scalar_analysis.h"
#include "ordering/scalar_value.h"

#include <optional>
#include <vector>

namespace ptosync {

/// Returns true if no term of the value changes while the loop goes round. What the value is beyond its terms
/// (`isDetermined`) may change.
bool isFixedIn(const ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars, const FlowGraph &graph);

/// Returns true if, from each entry of the loop until it is left, a branch on the condition goes one way in all
/// iterations, or one way up to some iteration and the other way from then on. Where a side may wrap around, the
/// iterations must be fewer than the numbers on either side of the bound, so that nobody comes round to the first
/// answer. `firstOf`: the condition is looked at where this loop, inside the other, tests it for the first time (kNone:
/// no such loop). Returns false if that is not known.
bool changesOnceAtMost(const ScalarValue &condition, LoopId loop, LoopId firstOf, const ScalarAnalysis &scalars,
                       const FlowGraph &graph);

/// What the branches that were taken on the way to a place say about a condition there. A branch of which one way
/// dominates a place has gone that way whenever control is there; what its condition is made of has the same value
/// still, unless an iteration of its scope has ended. From that follow the same comparison and its like (`a < b` denies
/// `b <= a`), and bounds of the two sides, by which another comparison may be decided.
class ImpliedConditions {
public:
  /// `conditions`: by block, what its branch asks where that is known; may grow while blocks are looked at in order.
  ImpliedConditions(const Kernel &kernel, const FlowGraph &graph, const ScalarAlgebra &scalars,
                    const std::vector<std::optional<ScalarValue>> &conditions)
      : kernel(kernel), graph(graph), scalars(scalars), conditions(conditions) {}

  /// Returns true or false if a condition at the end of a block always holds there or never does; nothing if neither is
  /// known.
  std::optional<bool> at(const ScalarValue &condition, BlockId block) const;
  /// The same of the test of a loop, in the iteration that begins where control comes from `from`, a block outside it.
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

/// Returns true if the two describe one number: whatever the atoms are, and wherever the two stand in one iteration of
/// each.
bool describeSame(const ScalarValue &a, const ScalarValue &b);
/// Returns true if one comparison holds where the other does and nowhere else, false if it holds where the other does
/// not, and nothing if neither is known.
std::optional<bool> asksSame(const ScalarComparison &a, const ScalarComparison &b);
/// Returns what a comparison is in the first iteration of a loop.
ScalarComparison inFirstIteration(ScalarComparison comparison, LoopId loop, const ScalarAlgebra &scalars);

} // namespace ptosync
