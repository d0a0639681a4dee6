// What a branch asks, as one comparison, and how its answer changes while a loop goes round.
//
//   condition --ScalarAlgebra::comparisonOf--> left < right --changesOnceAtMost--> the same in all iterations, or in a
//   row and then not
//
// A ragged end (`base + i < n`) is such a comparison: whatever `base` is, the iterations that it lets through are one
// after the other. Where a side may wrap around, the iterations must be fewer than the numbers on either side of the
// bound, so that nobody comes round to the first answer.
// Sound: true holds for every run; what is not seen to be fixed or to grow evenly is false.
// Does not look at equality of what moves: it holds for one iteration, between others.
// Tested by tests/ordering/condition_test.cpp, against concrete runs.
#pragma once

#include "ordering/scalar_analysis.h"

namespace ptosync {

/// True if no term of the value changes while the loop goes round. What the value is beyond its terms (`isDetermined`)
/// may.
bool isFixedIn(const ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars, const FlowGraph &graph);

/// True if, from each entry of the loop until it is left, a branch on the condition goes one way in all iterations, or
/// one way up to some iteration and the other way from then on. `firstOf`: the condition is looked at where this loop,
/// inside the other, tests it for the first time (kNone: no such loop). False: not known.
bool changesOnceAtMost(const ScalarValue &condition, LoopId loop, LoopId firstOf, const ScalarAnalysis &scalars,
                       const FlowGraph &graph);

} // namespace ptosync
