#include "replay/skip/moving_number.h"

#include "replay/number/value.h" // IWYU pragma: keep (it stands for number/range.h in this room)

#include <algorithm>

namespace ptosync::replay {

namespace {

using Wide = __int128;

/// Where a division would be even for fewer periods than this, its result is not known instead: a number that nothing
/// depends on is no reason to go on period by period.
constexpr std::uint64_t kFewPeriods = 8;

Moving unknownNumber(bool byMemory) {
  Moving number;
  number.known = false;
  number.byMemory = byMemory;
  return number;
}

Moving constantNumber(std::int64_t bits, bool byMemory) {
  Moving number;
  number.bits = bits;
  number.byMemory = byMemory;
  return number;
}

Moving sumOfNumbers(const Moving &left, std::int64_t sign, const Moving &right) {
  Moving sum = left;
  sum.bits = wrappedSum(left.bits, sign, right.bits);
  for (std::size_t i = 0; i < kMostCourses; ++i)
    sum.gains[i] = wrappedSum(left.gains[i], sign, right.gains[i]);
  sum.byMemory = left.byMemory || right.byMemory;
  return sum;
}

/// Returns the bounds of numbers that registers hold as they are: of 64 bits without a sign, those below 2^63.
Range boundsOf(IntegerType type) {
  if (type.bits == 0) // no integer
    return {0, 0};
  return type.bits >= 64 && !type.isSigned ? Range{0, INT64_MAX} : rangeOf(type);
}

} // namespace

bool Moving::steady() const {
  return known && std::all_of(gains.begin(), gains.end(), [](std::int64_t gain) { return gain == 0; });
}

bool Course::enter(std::uint64_t periods) {
  if (depth() == kMostCourses)
    return false;
  inner.push_back(periods);
  return true;
}

void Course::leave() { inner.pop_back(); }

void Course::cut(Wide periods) {
  if (periods >= static_cast<Wide>(most))
    return;
  most = static_cast<std::uint64_t>(periods);
  limitedBy = reasonNow;
}

Course::Line Course::lineOf(const Moving &value) {
  Line line;
  line.now = value.bits;
  std::copy(value.gains.begin(), value.gains.end(), line.gains.begin());
  return line;
}

/// Cuts the course short to what keeps the value between the bounds; false if it is not there even at its beginning.
bool Course::keepWithin(const Line &line, Wide low, Wide high) {
  Wide lowest = line.now, highest = line.now; // in the period that was run of the outermost loop
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const Wide gained = line.gains[i + 1] * static_cast<Wide>(inner[i]);
    (gained < 0 ? lowest : highest) += gained;
  }
  if (lowest < low || highest > high)
    return false;
  if (const Wide gain = line.gains[0]; gain > 0)
    cut((high - highest) / gain);
  else if (gain < 0)
    cut((lowest - low) / -gain);
  return true;
}

bool Course::keepIn(const Moving &value, IntegerType type) {
  const Range bounds = boundsOf(type);
  return keepWithin(lineOf(value), bounds.low, bounds.high);
}

Moving Course::converted(Moving value, IntegerType type) {
  if (!value.known || type.bits == 0 || type.bits >= 64)
    return value;
  if (type.bits == 1)
    return truth(value, kInt64);
  value.bits = wrapTo(type, value.bits);
  return value.steady() || keepIn(value, type) ? value : unknownNumber(value.byMemory);
}

Moving Course::truth(const Moving &value, IntegerType type) {
  return compared(Operator::NotEqual, type, value, constantNumber(0, false));
}

Moving Course::unary(Operator op, IntegerType type, const Moving &value) {
  if (!value.known)
    return value;
  if (op == Operator::LogicalNot)
    return compared(Operator::Equal, kInt64, value, constantNumber(0, false));
  // ~x is -1 - x.
  return converted(sumOfNumbers(constantNumber(op == Operator::BitNot ? -1 : 0, false), -1, value), type);
}

Moving Course::binary(Operator op, IntegerType operands, const Moving &left, const Moving &right) {
  const bool byMemory = left.byMemory || right.byMemory;
  if (!left.known || !right.known)
    return unknownNumber(byMemory);
  if (left.steady() && right.steady()) {
    std::int64_t result = 0;
    if (!applyOperator(op, operands, left.bits, right.bits, result))
      return unknownNumber(byMemory);
    return constantNumber(result, byMemory);
  }
  if (isComparison(op))
    return compared(op, operands, left, right);
  switch (op) {
  case Operator::Add: return converted(sumOfNumbers(left, 1, right), operands);
  case Operator::Subtract: return converted(sumOfNumbers(left, -1, right), operands);
  case Operator::Multiply: return product(operands, left, right);
  case Operator::Divide:
  case Operator::Remainder: return quotient(op, operands, left, right);
  case Operator::ShiftLeft:
  case Operator::ShiftRight: return shifted(op, operands, left, right);
  case Operator::BitAnd:
    if (left.steady() || right.steady())
      return left.steady() ? masked(right, left.bits, byMemory) : masked(left, right.bits, byMemory);
    return unknownNumber(byMemory);
  default: return unknownNumber(byMemory);
  }
}

Moving Course::comparedAsDrawn(Operator op, IntegerType operands, Moving left, Moving right) {
  const bool byMemory = left.byMemory || right.byMemory;
  left.byMemory = right.byMemory = false;
  Moving result = compared(op, operands, left, right);
  result.byMemory = byMemory;
  return result;
}

Moving Course::compared(Operator op, IntegerType type, const Moving &left, const Moving &right) {
  const bool byMemory = left.byMemory || right.byMemory;
  if (!left.known || !right.known)
    return unknownNumber(byMemory);
  const IntegerType operands = type.bits == 0 ? kInt64 : type;
  std::int64_t now = 0;
  if (!applyOperator(op, operands, left.bits, right.bits, now))
    return unknownNumber(byMemory);
  if (left.gains == right.gains && (left.steady() || op == Operator::Equal || op == Operator::NotEqual))
    return constantNumber(now, byMemory); // both wrap alike
  // Numbers of 64 bits without a sign count as what they are: a bound that has wrapped below 0 is a large one.
  const bool whole = operands.bits == 64 && !operands.isSigned;
  auto lineIn = [&](const Moving &value) {
    Line line = lineOf(value);
    line.now = whole ? static_cast<Wide>(static_cast<std::uint64_t>(value.bits)) : line.now;
    return line;
  };
  const Range bounds = boundsOf(operands);
  const Wide highest = whole ? static_cast<Wide>(UINT64_MAX) : Wide{bounds.high};
  Line difference = lineIn(left);
  const Line other = lineIn(right);
  if (byMemory || !keepWithin(difference, bounds.low, highest) || !keepWithin(other, bounds.low, highest))
    return unknownNumber(byMemory);
  difference.now -= other.now;
  for (std::size_t i = 0; i < kMostCourses; ++i)
    difference.gains[i] -= right.gains[i];
  return keepOutcome(op, difference, now != 0) ? constantNumber(now, false) : unknownNumber(false);
}

/// Cuts the course short to where a difference compares with 0 as it does at the beginning; false if it does not even
/// so in every period of the loops inside.
bool Course::keepOutcome(Operator op, const Line &difference, bool outcome) {
  constexpr Wide kUnbounded = Wide{1} << 126;
  switch (op) {
  case Operator::Less: return outcome ? keepWithin(difference, -kUnbounded, -1) : keepWithin(difference, 0, kUnbounded);
  case Operator::LessEqual:
    return outcome ? keepWithin(difference, -kUnbounded, 0) : keepWithin(difference, 1, kUnbounded);
  case Operator::Greater:
    return outcome ? keepWithin(difference, 1, kUnbounded) : keepWithin(difference, -kUnbounded, 0);
  case Operator::GreaterEqual:
    return outcome ? keepWithin(difference, 0, kUnbounded) : keepWithin(difference, -kUnbounded, -1);
  default: break;
  }
  if (outcome == (op == Operator::Equal))
    return keepWithin(difference, 0, 0);
  return difference.now < 0 ? keepWithin(difference, -kUnbounded, -1) : keepWithin(difference, 1, kUnbounded);
}

Moving Course::product(IntegerType type, const Moving &left, const Moving &right) {
  const bool byMemory = left.byMemory || right.byMemory;
  if (!left.steady() && !right.steady())
    return unknownNumber(byMemory);
  Moving result = left.steady() ? right : left;
  const std::int64_t factor = left.steady() ? left.bits : right.bits;
  result.bits = wrappedProduct(result.bits, factor);
  for (std::int64_t &gain : result.gains)
    gain = wrappedProduct(gain, factor);
  result.byMemory = byMemory;
  return converted(result, type);
}

/// The quotient rounded down, and a rest that is not negative. What the value gains in whole divisors goes into the
/// quotient, anything else into the rest: the course is cut short to where that stays below the divisor.
bool Course::divide(const Moving &value, Wide divisor, Moving &quotient, Moving &rest) {
  Wide rounded = value.bits / divisor;
  if (rounded * divisor > value.bits)
    --rounded;
  quotient = constantNumber(static_cast<std::int64_t>(rounded), value.byMemory);
  rest = constantNumber(static_cast<std::int64_t>(value.bits - rounded * divisor), value.byMemory);
  for (std::size_t i = 0; i < kMostCourses; ++i) {
    if (value.gains[i] % divisor == 0)
      quotient.gains[i] = static_cast<std::int64_t>(value.gains[i] / divisor);
    else
      rest.gains[i] = value.gains[i];
  }
  if (const Wide gain = rest.gains[0]; gain != 0) {
    const Wide left = gain > 0 ? (divisor - 1 - rest.bits) / gain : rest.bits / -gain;
    if (left < static_cast<Wide>(std::min(most, kFewPeriods)))
      return false;
  }
  return keepWithin(lineOf(rest), 0, divisor - 1);
}

Moving Course::quotient(Operator op, IntegerType type, const Moving &left, const Moving &right) {
  const bool byMemory = left.byMemory || right.byMemory;
  // Rounded to 0, which is down for what is not negative.
  if (byMemory || !right.steady() || right.bits <= 0 || left.bits < 0 || !keepIn(left, type) ||
      !keepWithin(lineOf(left), 0, INT64_MAX))
    return unknownNumber(byMemory);
  Moving whole, rest;
  if (!divide(left, right.bits, whole, rest))
    return unknownNumber(byMemory);
  return op == Operator::Divide ? whole : rest;
}

Moving Course::shifted(Operator op, IntegerType type, const Moving &left, const Moving &right) {
  const bool byMemory = left.byMemory || right.byMemory;
  if (!right.steady() || right.bits < 0 || right.bits >= std::min<int>(type.bits ? type.bits : 64, 63))
    return unknownNumber(byMemory);
  const std::int64_t factor = std::int64_t{1} << right.bits;
  if (op == Operator::ShiftLeft)
    return product(type, left, constantNumber(factor, right.byMemory));
  Moving whole, rest;
  if (byMemory || !keepIn(left, type) || !divide(left, factor, whole, rest))
    return unknownNumber(byMemory);
  return whole;
}

/// For a mask of the lowest bits, or of all but those.
Moving Course::masked(const Moving &value, std::int64_t mask, bool byMemory) {
  const auto low = static_cast<std::uint64_t>(mask < 0 ? ~mask : mask);
  Moving whole, rest;
  if (byMemory || (low & (low + 1)) != 0 || !keepIn(value, kInt64) ||
      !divide(value, static_cast<Wide>(low) + 1, whole, rest))
    return unknownNumber(byMemory);
  return mask < 0 ? sumOfNumbers(value, -1, rest) : rest;
}

} // namespace ptosync::replay
