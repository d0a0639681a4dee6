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

Range rangeOf(const Terms &terms, std::int64_t offset) {
  Wide low = offset, high = offset;
  std::uint64_t step = 0; // less than what lies between the bounds
  for (const Multiple &term : terms) {
    const Wide first = Wide{term.factor} * term.range.low, last = Wide{term.factor} * term.range.high;
    low += std::min(first, last);
    high += std::max(first, last);
    if (low < INT64_MIN || high > INT64_MAX) // before the sums leave 128 bits, too
      return {};
    if (!term.range.single()) {
      const Wide apart = Wide{term.factor} * term.range.step;
      step = std::gcd(step, static_cast<std::uint64_t>(apart < 0 ? -apart : apart));
    }
  }
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high),
          step < 1 || step > INT64_MAX ? 1 : static_cast<std::int64_t>(step)};
}

Residue residueOf(const Terms &terms, std::int64_t offset) {
  Residue residue{offset, 64};
  for (const Multiple &term : terms) {
    residue.offset = wrappedSum(residue.offset, wrappedProduct(term.factor, term.range.low));
    if (!term.range.single()) {
      const std::int64_t step = wrappedProduct(term.factor, term.range.step);
      residue.bits =
          static_cast<std::uint8_t>(std::min<int>(residue.bits, std::countr_zero(static_cast<std::uint64_t>(step))));
    }
  }
  return residue;
}

} // namespace ptosync::replay
