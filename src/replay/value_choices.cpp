#include "replay/value_choices.h"

#include "replay/relation.h"

#include <algorithm>
#include <bit>

namespace ptosync::replay {
namespace {

/// Of numbers as described. Two comparisons of the same numbers share a root: a < b is what b <= a is not.
Choices comparison(Operator op, bool isSigned, const Value &first, const Value &second) {
  const bool swapped = op == Operator::Greater || op == Operator::LessEqual;
  const bool negated = op == Operator::NotEqual || op == Operator::GreaterEqual || op == Operator::LessEqual;
  std::uint64_t a = keyOf(swapped ? second : first), b = keyOf(swapped ? first : second);
  const bool equality = op == Operator::Equal || op == Operator::NotEqual;
  if (equality && b < a)
    std::swap(a, b);
  Choices choices;
  if (!isUnrelated(first) && !isUnrelated(second))
    choices.root = comparedBase(equality ? Operator::Equal : Operator::Less, equality || isSigned, a, b);
  choices.values = negated ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0, 1};
  return choices;
}

/// `value` % or & a known number.
std::optional<Choices> fewValues(Operator op, IntegerType operands, const Value &value, std::int64_t known) {
  if (value.origin != Origin::Unknown || known < 1 || known > kFewNumbers)
    return std::nullopt;
  if (op == Operator::Remainder)
    return residuesOf(value, known, operands.isSigned && value.range.low < 0);
  const auto count = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(known) + 1));
  std::optional<Choices> choices = residuesOf(value, count, false);
  if (choices)
    choices = changed(*choices, [&](std::int64_t one) { return one & known; });
  return choices;
}

} // namespace

std::optional<Choices> residuesOf(const Value &value, std::int64_t count, bool bothSigns) {
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(count));
  const int bits = power ? std::countr_zero(static_cast<std::uint64_t>(count)) : 31; // no power: as if nothing wrapped
  Congruence by; // the one with the fewest bits that are enough is nearest to what was loaded
  for (const Congruence &sum : value.sums)
    if (sum.bits >= bits && (by.bits == 0 || sum.bits < by.bits))
      by = sum;
  std::optional<Choices> choices = remainders(by.root, by.offset, count, bothSigns);
  if (!choices || !power || value.residue.bits == 0)
    return choices;
  // Twice a number is even: the others are none that it can be.
  const std::int64_t known = (std::int64_t{1} << std::min<int>(bits, value.residue.bits)) - 1;
  const std::int64_t sure = value.residue.offset & known;
  for (std::int64_t &one : choices->values)
    if ((one & known) != sure)
      one = sure;
  return choices;
}

std::optional<Choices> choicesOf(const Value &value) {
  if (value.origin == Origin::Unknown)
    return std::nullopt;
  return value.choices ? *value.choices : Choices{0, {value.bits}};
}

Choices nonzero(const Value &value) {
  return value.choices ? changed(*value.choices, [](std::int64_t one) { return one != 0; })
                       : comparison(Operator::NotEqual, false, described(value), described({}));
}

std::optional<Choices> binaryChoices(Operator op, IntegerType operands, const Value &left, const Value &right) {
  const std::optional<Choices> a = choicesOf(left), b = choicesOf(right);
  if (a && b) {
    auto apply = [&](std::int64_t one, std::int64_t other) -> std::optional<std::int64_t> {
      std::int64_t result = 0;
      return applyOperator(op, operands, one, other, result) ? std::optional(result) : std::nullopt;
    };
    if (std::optional<Choices> choices = joined(*a, *b, apply))
      return choices;
  }
  std::optional<Choices> few;
  if (op == Operator::Remainder || op == Operator::BitAnd) {
    if (right.origin < Origin::Sampled)
      few = fewValues(op, operands, left, right.bits);
    else if (op == Operator::BitAnd && left.origin < Origin::Sampled)
      few = fewValues(op, operands, right, left.bits);
  }
  if (!few && isComparison(op)) {
    const Value first = described(left), second = described(right);
    if (std::optional<bool> sure = compared(op, operands, first.range, second.range))
      return Choices{0, {*sure}};
    return comparison(op, operands.isSigned, first, second);
  }
  return few;
}

} // namespace ptosync::replay
