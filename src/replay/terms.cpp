#include "replay/terms.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ptosync::replay {
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

/// What the term may be differs by whole numbers of times 2^(so many).
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
