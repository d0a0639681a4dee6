#include "replay/number/range.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ptosync::replay {

namespace {

using Wide = __int128; // products of two numbers of 64 bits

Range bounded(Wide low, Wide high, IntegerType type, Wide step = 1) {
  const Range all = rangeOf(type);
  if (low < all.low || high > all.high)
    return all;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high),
          step < 1 || step > INT64_MAX ? 1 : static_cast<std::int64_t>(step)};
}

/// Returns the step of a range; of a single number 0, which any step divides.
std::int64_t stepOf(const Range &range) { return range.single() ? 0 : range.step; }

std::int64_t commonStep(const Range &left, const Range &right) { return std::gcd(stepOf(left), stepOf(right)); }

/// Returns the range of a sum or product that may wrap, or of 64 bits with a sign. Of those that would overflow long
/// steps say nothing.
Range computed(bool mayWrap, Wide low, Wide high, IntegerType type, Wide step) {
  constexpr Wide kLongStep = Wide{1} << 40;
  const bool overflows = low < INT64_MIN || high > INT64_MAX;
  if (mayWrap || !overflows || low > INT64_MAX || high < INT64_MIN)
    return bounded(low, high, type, step);
  if (step > kLongStep)
    step = 1;
  const bool begins = low >= INT64_MIN;
  const Wide last = std::min(high, Wide{INT64_MAX});
  return bounded(begins ? low : Wide{INT64_MIN}, begins && step > 0 ? last - (last - low) % step : last, type,
                 begins ? step : 1);
}

Range productOf(bool mayWrap, const Range &left, const Range &right, IntegerType type) {
  const auto [low, high] = std::minmax({Wide{left.low} * right.low, Wide{left.low} * right.high,
                                        Wide{left.high} * right.low, Wide{left.high} * right.high});
  Wide step = 1;
  if (left.single() || right.single())
    step = Wide{left.single() ? right.step : left.step} * (left.single() ? left.low : right.low);
  return computed(mayWrap, low, high, type, step < 0 ? -step : step);
}

/// Rounded to 0 as C++ does: larger dividends have larger quotients.
Range quotientOf(IntegerType operands, const Range &left, std::int64_t divisor, IntegerType type) {
  if (divisor <= 0 || (!operands.isSigned && left.low < 0))
    return rangeOf(type);
  return bounded(left.low / divisor, left.high / divisor, type);
}

Range remainderOf(IntegerType operands, const Range &left, std::int64_t divisor, IntegerType type) {
  if (divisor <= 0)
    return rangeOf(type);
  const std::int64_t most = divisor - 1;
  if (left.low >= 0 && left.high <= most)
    return bounded(left.low, left.high, type, left.step);
  if (left.low >= 0) {
    const std::int64_t step = std::gcd(left.step, divisor);
    return bounded(left.low % step, most, type, step);
  }
  return operands.isSigned ? bounded(std::max(left.low, -most), std::clamp<std::int64_t>(left.high, 0, most), type)
                           : bounded(0, most, type);
}

/// Bounds a result by the next power of two: a bit that is set in neither operand is set in no result.
Range bitsOf(Operator op, const Range &left, const Range &right, IntegerType type) {
  if (op == Operator::BitAnd && (left.low >= 0 || right.low >= 0))
    return bounded(0, left.low < 0 ? right.high : right.low < 0 ? left.high : std::min(left.high, right.high), type);
  if (left.low < 0 || right.low < 0 || op == Operator::BitAnd)
    return rangeOf(type);
  const auto most = static_cast<std::uint64_t>(std::max(left.high, right.high));
  return bounded(0, (Wide{1} << std::bit_width(most)) - 1, type);
}

} // namespace

Range rangeOf(IntegerType type) {
  if (type.bits == 0 || type.bits >= 64)
    return {};
  if (type.bits == 1)
    return {0, 1};
  const std::int64_t half = std::int64_t{1} << (type.bits - 1);
  return type.isSigned ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

bool fits(const Range &range, IntegerType type) {
  const Range all = rangeOf(type);
  return type.bits != 0 && range.low >= all.low && range.high <= all.high;
}

Range within(const Range &range, std::int64_t low, std::int64_t high) {
  const Wide first = std::max(Wide{range.low}, Wide{low}), last = std::min(Wide{range.high}, Wide{high});
  const Wide over = (first - range.low) % range.step;
  const Wide begin = over == 0 ? first : first + (range.step - over);
  if (begin > last)
    return range;
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(last - (last - begin) % range.step), range.step};
}

std::optional<bool> compared(Operator op, IntegerType operands, const Range &left, const Range &right) {
  if (op == Operator::Equal || op == Operator::NotEqual) {
    if (left.single() && right.single() && left.low == right.low)
      return op == Operator::Equal;
    return left.high < right.low || right.high < left.low ? std::optional(op == Operator::NotEqual) : std::nullopt;
  }
  // As unsigned numbers of 64 bits negative ones are large.
  if (!operands.isSigned && operands.bits >= 64 && (left.low < 0 || right.low < 0))
    return std::nullopt;
  const bool swapped = op == Operator::Greater || op == Operator::LessEqual;
  const Range &below = swapped ? right : left, &above = swapped ? left : right;
  const bool holds = op == Operator::Less || op == Operator::Greater; // where `below` is less
  if (below.high < above.low)
    return holds;
  return below.low >= above.high ? std::optional(!holds) : std::nullopt;
}

Range spanOf(const Range &one, const Range &other) {
  const auto apart = static_cast<std::uint64_t>(one.low) - static_cast<std::uint64_t>(other.low);
  const auto both = static_cast<std::uint64_t>(commonStep(one, other));
  return bounded(std::min(one.low, other.low), std::max(one.high, other.high), {},
                 Wide{std::gcd(both, one.low < other.low ? 0 - apart : apart)});
}

Range aligned(const Range &range, const Residue &residue) {
  if (residue.bits == 0 || residue.bits > 62 || std::int64_t{1} << residue.bits <= range.step)
    return range;
  const std::int64_t step = std::int64_t{1} << residue.bits, below = step - 1;
  const Wide low = Wide{range.low} + (wrappedDifference(residue.offset, range.low) & below),
             high = Wide{range.high} - (wrappedDifference(range.high, residue.offset) & below);
  return low > high ? range : Range{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), step};
}

bool mayBeApart(const Range &from, const Range &to, std::int64_t low, std::int64_t high) {
  const Wide first = std::max(Wide{to.low} - from.high, Wide{low}),
             last = std::min(Wide{to.high} - from.low, Wide{high});
  if (first > last)
    return false;
  const Wide step = commonStep(from, to), some = Wide{to.low} - from.low;
  if (step == 0)
    return first <= some && some <= last;
  const Wide over = ((first - some) % step + step) % step; // of the first one behind the one before it
  return over == 0 || first + (step - over) <= last;
}

Range converted(const Range &range, IntegerType type) { return bounded(range.low, range.high, type, range.step); }

Range rangeOf(Operator op, IntegerType operands, const Range &left, const Range &right, IntegerType type) {
  const bool mayWrap = !operands.isSigned || operands.bits != 64 || operands != type;
  switch (op) {
  case Operator::Add:
    return computed(mayWrap, Wide{left.low} + right.low, Wide{left.high} + right.high, type, commonStep(left, right));
  case Operator::Subtract:
    return computed(mayWrap, Wide{left.low} - right.high, Wide{left.high} - right.low, type, commonStep(left, right));
  case Operator::Multiply: return productOf(mayWrap, left, right, type);
  case Operator::Divide: return right.single() ? quotientOf(operands, left, right.low, type) : rangeOf(type);
  case Operator::Remainder: return right.single() ? remainderOf(operands, left, right.low, type) : rangeOf(type);
  case Operator::ShiftLeft:
  case Operator::ShiftRight:
    if (!right.single() || right.low < 0 || right.low > 62)
      return rangeOf(type);
    if (op == Operator::ShiftRight) // down, not to 0
      return left.low < 0 ? rangeOf(type) : quotientOf(operands, left, std::int64_t{1} << right.low, type);
    return productOf(true, left, {std::int64_t{1} << right.low, std::int64_t{1} << right.low}, type);
  case Operator::BitAnd:
  case Operator::BitOr:
  case Operator::BitXor: return bitsOf(op, left, right, type);
  default: return rangeOf(type);
  }
}

namespace {

using Wide = __int128;

constexpr std::size_t kMostTerms = 4;

void add(Terms &terms, std::int64_t times, const Terms &others) {
  for (const Multiple &other : others) {
    const std::int64_t factor = wrappedProduct(other.factor, times);
    auto at = std::lower_bound(terms.begin(), terms.end(), other.unknown,
                               [](const Multiple &term, std::uint64_t unknown) { return term.unknown < unknown; });
    if (at == terms.end() || at->unknown != other.unknown)
      at = terms.insert(at, {other.unknown, 0, other.range});
    at->factor = wrappedSum(at->factor, factor);
    if (at->factor == 0)
      terms.erase(at);
  }
}

/// Returns n if any two values of the term differ by a multiple of 2^n.
std::uint8_t evenBits(const Multiple &term) {
  if (term.range.single())
    return 64;
  const std::int64_t step = wrappedProduct(term.factor, term.range.step);
  return static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(step)));
}

} // namespace

Terms sumOf(const Terms &terms, std::int64_t times, const Terms &others, std::uint64_t whole) {
  Terms sum = terms;
  add(sum, times, others);
  return sum.size() > kMostTerms ? Terms{{whole, 1, {}}} : sum;
}

Terms differenceOf(const Terms &one, const Terms &other) {
  Terms difference = one;
  add(difference, -1, other);
  return difference;
}

Range rangeOf(const Terms &terms, std::int64_t offset, std::uint8_t bits) {
  Wide low = 0, high = 0;
  std::uint64_t step = 0; // less than what lies between the bounds
  for (const Multiple &term : terms) {
    if (evenBits(term) >= bits) {
      offset = wrappedSum(offset, term.factor, term.range.low);
      continue;
    }
    const Wide first = Wide{term.factor} * term.range.low, last = Wide{term.factor} * term.range.high;
    low += std::min(first, last);
    high += std::max(first, last);
    if (low < INT64_MIN || high > INT64_MAX) // before the sums leave 128 bits, too
      return {};
    const Wide apart = Wide{term.factor} * term.range.step;
    if (!term.range.single())
      step = std::gcd(step, static_cast<std::uint64_t>(apart < 0 ? -apart : apart));
  }
  low += offset;
  high += offset;
  if (low < INT64_MIN || high > INT64_MAX)
    return {};
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high),
          step < 1 || step > INT64_MAX ? 1 : static_cast<std::int64_t>(step)};
}

std::set<std::uint8_t> bitsThatLeaveOut(const Terms &terms, std::uint8_t most) {
  std::set<std::uint8_t> all = {most};
  for (const Multiple &term : terms)
    if (const std::uint8_t bits = evenBits(term); bits != 0 && bits < most)
      all.insert(bits);
  return all;
}

} // namespace ptosync::replay
