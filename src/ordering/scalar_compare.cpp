// ScalarAlgebra: comparisons, and conditions compared with a truth value.
#include "ordering/scalar_value.h"

#include "ordering/iteration_shape.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptosync {

using Wide = __int128;

namespace {

Operator opposite(Operator op) {
  switch (op) {
  case Operator::Equal: return Operator::NotEqual;
  case Operator::NotEqual: return Operator::Equal;
  case Operator::Less: return Operator::GreaterEqual;
  case Operator::LessEqual: return Operator::Greater;
  case Operator::Greater: return Operator::LessEqual;
  default: return Operator::Less;
  }
}

} // namespace

/// The left side less the right one.
struct ScalarAlgebra::Gap {
  Wide lowest, highest;
  bool mayBeZero = true;
};

/// By the bounds of both sides; and where their terms cancel, it is one of the numbers that are a modulus apart.
ScalarAlgebra::Gap ScalarAlgebra::gapBetween(const ScalarValue &a, const ScalarValue &b) const {
  Gap gap{Wide(a.interval.lowest) - b.interval.highest, Wide(a.interval.highest) - b.interval.lowest};
  ScalarValue difference = add(a, b, true);
  if (!difference.terms.empty())
    return gap;
  Wide turn = difference.modulus ? Wide(difference.modulus) : Wide(1) << 64;
  auto above = [&](Wide number) { return (((difference.constant - number) % turn) + turn) % turn; };
  gap.mayBeZero = above(0) == 0;
  Wide lowest = gap.lowest + above(gap.lowest), highest = gap.highest - (turn - above(gap.highest)) % turn;
  if (lowest <= highest) { // else nobody gets here
    gap.lowest = lowest;
    gap.highest = highest;
  }
  return gap;
}

std::optional<ScalarValue> ScalarAlgebra::compare(Operator op, const ScalarValue &a, const ScalarValue &b) const {
  // Unsigned 64-bit values are compared as signed ones only where both are known not negative.
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  bool wideUnsigned = !a.type.isSigned && a.type.bits == 64;
  if (!equality && wideUnsigned && (a.interval.lowest < 0 || b.interval.lowest < 0))
    return std::nullopt;
  Gap gap = gapBetween(a, b);
  auto truth = [&](bool value) { return constant(value, kBoolean); };
  bool below = gap.highest < 0, above = gap.lowest > 0, equal = gap.lowest == 0 && gap.highest == 0;
  bool apart = below || above || !gap.mayBeZero;
  switch (op) {
  case Operator::Equal:
  case Operator::NotEqual:
    if (apart || equal)
      return truth(equal == (op == Operator::Equal));
    break;
  case Operator::Less:
  case Operator::GreaterEqual:
    if (below || gap.lowest >= 0)
      return truth(below == (op == Operator::Less));
    break;
  case Operator::LessEqual:
  case Operator::Greater:
    if (above || gap.highest <= 0)
      return truth(above == (op == Operator::Greater));
    break;
  default: break;
  }
  return std::nullopt;
}

std::optional<bool> ScalarAlgebra::decided(const ScalarComparison &comparison) const {
  std::optional<ScalarValue> outcome = compare(comparison.op, comparison.left, comparison.right);
  return outcome ? decided(*outcome) : std::nullopt;
}

std::optional<ScalarComparison> ScalarAlgebra::comparisonOf(const ScalarValue &condition) const {
  if (condition.modulus != 0 || condition.terms.size() != 1)
    return std::nullopt;
  const Atom &atom = atoms[condition.terms[0].atom];
  bool plain = condition.constant == 0 && condition.terms[0].coefficient == 1;
  bool negated = condition.constant == 1 && condition.terms[0].coefficient == -1;
  if (atom.operands.empty() || !isComparison(atom.op) || (!plain && !negated))
    return std::nullopt;
  ScalarComparison comparison{negated ? opposite(atom.op) : atom.op, atom.operands[0], atom.operands[1]};
  if (comparison.op == Operator::Greater || comparison.op == Operator::GreaterEqual) {
    std::swap(comparison.left, comparison.right);
    comparison.op = comparison.op == Operator::Greater ? Operator::Less : Operator::LessEqual;
  }
  return comparison;
}

/// `!x` and its like of a value that is 0 or 1: a sum with that value, not a new atom.
std::optional<ScalarValue> ScalarAlgebra::ofBoolean(Operator op, const ScalarValue &a, const ScalarValue &b) const {
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  bool truth = a.modulus == 0 && a.interval.lowest >= 0 && a.interval.highest <= 1;
  if (!equality || !truth || !b.isConstant() || (b.constant != 0 && b.constant != 1))
    return std::nullopt;
  ScalarValue value = a;
  if ((op == Operator::Equal) == (b.constant == 0))
    value = add(constant(1, a.type), a, true);
  value.type = kBoolean;
  return value;
}

} // namespace ptosync
