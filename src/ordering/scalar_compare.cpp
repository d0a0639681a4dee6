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

std::optional<ScalarValue> ScalarAlgebra::compare(Operator op, const ScalarValue &a, const ScalarValue &b) const {
  ScalarValue difference = add(a, b, true);
  bool exact = difference.modulus == 0;
  if (op == Operator::Equal || op == Operator::NotEqual) {
    bool apart = a.interval.highest < b.interval.lowest || b.interval.highest < a.interval.lowest;
    if (difference.terms.empty() && centred(difference.constant, difference.modulus) != 0)
      apart = true;
    if (apart)
      return constant(op == Operator::NotEqual, kBoolean);
    if (exact && difference.terms.empty())
      return constant(op == Operator::Equal, kBoolean);
    return std::nullopt;
  }
  // Unsigned 64-bit values are compared as signed ones only where both are known not negative.
  bool wideUnsigned = !a.type.isSigned && a.type.bits == 64;
  if (wideUnsigned && (a.interval.lowest < 0 || b.interval.lowest < 0))
    return std::nullopt;
  bool wrapped = Wide(a.constant) - b.constant != difference.constant;
  Interval gap = clip(Wide(a.interval.lowest) - b.interval.highest, Wide(a.interval.highest) - b.interval.lowest, {});
  if (exact && difference.terms.empty() && !wrapped)
    gap = {difference.constant, difference.constant};
  switch (op) {
  case Operator::Less:
    if (gap.highest < 0)
      return constant(1, kBoolean);
    if (gap.lowest >= 0)
      return constant(0, kBoolean);
    break;
  case Operator::LessEqual:
    if (gap.highest <= 0)
      return constant(1, kBoolean);
    if (gap.lowest > 0)
      return constant(0, kBoolean);
    break;
  case Operator::Greater:
    if (gap.lowest > 0)
      return constant(1, kBoolean);
    if (gap.highest <= 0)
      return constant(0, kBoolean);
    break;
  case Operator::GreaterEqual:
    if (gap.lowest >= 0)
      return constant(1, kBoolean);
    if (gap.highest < 0)
      return constant(0, kBoolean);
    break;
  default: break;
  }
  return std::nullopt;
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
