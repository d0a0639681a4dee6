#include "ordering/condition.h"

#include <algorithm>

namespace ptosync {
namespace {

/// The value in front of the loop's first iteration.
ScalarValue atFirst(ScalarValue value, LoopId loop, const ScalarAlgebra &scalars) {
  if (loop != kNone)
    std::erase_if(value.terms, [&](const Term &term) {
      return scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop;
    });
  return value;
}

/// What each iteration of the loop adds to the value; the rest of it stays behind in `value`.
std::int64_t takeSlope(ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars) {
  std::int64_t slope = 0;
  std::erase_if(value.terms, [&](const Term &term) {
    bool counts = scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop;
    if (counts)
      slope = wrappedSum(slope, term.coefficient, 1);
    return counts;
  });
  return centred(slope, value.modulus);
}

/// Of numbers that go `slope` further in each of `iterations` and may wrap: true if they cannot pass all that is on one
/// side of the bound, and so meet their first side again.
bool staysShort(std::int64_t slope, std::int64_t iterations, const ScalarComparison &test, bool movesLeft) {
  const ScalarValue &bound = movesLeft ? test.right : test.left;
  if (!bound.isConstant())
    return false;
  IntegerType type = bound.type;
  if (type.bits < 8)
    return false;
  __int128 lowest = type.isSigned ? -(__int128(1) << (type.bits - 1)) : 0;
  __int128 size = __int128(1) << type.bits;
  __int128 at = bound.constant;
  if (!type.isSigned && at < 0)
    at += size;
  // The first number above the border between the two answers.
  __int128 border = at + ((test.op == Operator::LessEqual) == movesLeft ? 1 : 0);
  __int128 below = border - lowest, above = size - below;
  __int128 travel = __int128(slope < 0 ? -__int128(slope) : slope) * (iterations - 1);
  return travel <= std::min(below, above);
}

} // namespace

bool isFixedIn(const ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars, const FlowGraph &graph) {
  return std::all_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
    LoopId scope = scalars[term.atom].scope;
    return scope == kNone || !graph.encloses(loop, scope);
  });
}

bool changesOnceAtMost(const ScalarValue &condition, LoopId loop, LoopId firstOf, const ScalarAnalysis &scalars,
                       const FlowGraph &graph) {
  const ScalarAlgebra &algebra = scalars.algebra();
  if (isDetermined(condition) && isFixedIn(condition, loop, algebra, graph))
    return true;
  std::optional<ScalarComparison> test = algebra.comparisonOf(condition);
  if (!test || !isDetermined(test->left) || !isDetermined(test->right) || test->left.type != test->right.type)
    return false;
  ScalarValue left = atFirst(test->left, firstOf, algebra), right = atFirst(test->right, firstOf, algebra);
  std::int64_t leftSlope = takeSlope(left, loop, algebra), rightSlope = takeSlope(right, loop, algebra);
  if (!isFixedIn(left, loop, algebra, graph) || !isFixedIn(right, loop, algebra, graph))
    return false;
  if (leftSlope == 0 && rightSlope == 0)
    return true;
  if ((leftSlope != 0 && rightSlope != 0) || test->op == Operator::Equal || test->op == Operator::NotEqual)
    return false;
  bool movesLeft = leftSlope != 0;
  const ScalarValue &moving = movesLeft ? test->left : test->right;
  // Fewer than 64 bits that are exact did not wrap.
  if (moving.modulus == 0 && moving.type.bits < 64)
    return true;
  std::optional<std::int64_t> trips = scalars.trips(loop).trips;
  return trips && wrapsAt(moving, moving.type.bits) && *trips > 0 &&
         staysShort(movesLeft ? leftSlope : rightSlope, *trips, *test, movesLeft);
}

} // namespace ptosync
