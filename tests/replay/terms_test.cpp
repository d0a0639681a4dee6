#include "replay/terms.h"

#include "kernel/expression.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;
using namespace ptosync::replay;

namespace {

const Range kSomeByte{0, 255, 1}, kAny{};

/// True if the range has it, or a number that is a whole number of times 2^bits away.
bool contains(const Range &range, std::uint8_t bits, std::int64_t number) {
  if (bits == 64 || range == Range{})
    return mayBeApart(range, {number, number}, 0, 0);
  const std::int64_t below = (std::int64_t{1} << bits) - 1;
  for (std::int64_t one = range.low; one <= range.high; one += range.step) {
    if ((wrappedDifference(one, number) & below) == 0)
      return true;
    if (one > range.high - range.step)
      break;
  }
  return false;
}

} // namespace

TEST_CASE("replay: sums of unknown numbers add up by number") {
  const Terms x = {{7, 1, kSomeByte}}, y = {{3, 1, kAny}};
  const Terms both = sumOf(sumOf({}, 1536, x, 1), 2, y, 1);
  CHECK(both == Terms{{3, 2, kAny}, {7, 1536, kSomeByte}});
  CHECK(sumOf(both, -2, y, 1) == Terms{{7, 1536, kSomeByte}});
  CHECK(differenceOf(both, both).empty());
  CHECK(differenceOf(sumOf({}, 1536, x, 1), sumOf({}, 32, x, 1)) == Terms{{7, 1504, kSomeByte}});
  CHECK(sumOf(x, 0, y, 1) == x);
  // Twice 2^63 is nothing in 64 bits.
  const Terms top = sumOf({}, INT64_MIN, x, 1);
  CHECK(sumOf(top, 1, top, 1).empty());
}

TEST_CASE("replay: a sum of many unknown numbers is one of its own") {
  Terms sum;
  for (std::uint64_t number = 1; number <= 4; ++number)
    sum = sumOf(sum, 1, {{number, 1, kSomeByte}}, 99);
  CHECK(sum.size() == 4);
  CHECK(sumOf(sum, 1, {{5, 1, kSomeByte}}, 99) == Terms{{99, 1, kAny}});
  // What two do not have in common is all of it.
  CHECK(differenceOf(sum, {{5, 1, kSomeByte}}).size() == 5);
}

TEST_CASE("replay: bounds and steps of a sum of unknown numbers") {
  const Terms apart = {{7, 1504, kSomeByte}};
  CHECK(rangeOf(apart, -192, 64) == Range{-192, 1504 * 255 - 192, 1504});
  CHECK_FALSE(mayBeApart(rangeOf(apart, -192, 64), {0, 0}, -191, 191));
  CHECK(rangeOf({{7, -8, kSomeByte}}, 0, 64) == Range{-2040, 0, 8});
  CHECK(rangeOf({{3, 6, {0, 10, 2}}, {7, -4, {0, 5, 1}}}, 1, 64) == Range{-19, 61, 4});
  CHECK(rangeOf({{3, 8, {5, 5, 1}}}, 1, 64) == Range{41, 41, 1});
  CHECK(rangeOf({}, 12, 64) == Range{12, 12, 1});
  // Where it may wrap, nothing.
  CHECK(rangeOf({{3, 2, kAny}}, 0, 64) == Range{});
  CHECK(rangeOf({{3, INT64_MIN, kAny}, {4, INT64_MIN, kAny}, {5, INT64_MAX, kAny}}, INT64_MIN, 64) == Range{});
  CHECK(rangeOf({{3, 1, kAny}}, 0, 64) == Range{});
}

TEST_CASE("replay: what is left of a sum that wraps") {
  using Bits = std::set<std::uint8_t>;
  const Terms one = {{3, 1536, kAny}}, two = {{3, 512, kAny}, {4, 32, {0, 3, 1}}};
  CHECK(bitsThatLeaveOut(one, 64) == Bits{9, 64});
  CHECK(rangeOf(one, 192, 9) == Range{192, 192, 1});
  CHECK(bitsThatLeaveOut(two, 9) == Bits{5, 9});
  CHECK(bitsThatLeaveOut(two, 7) == Bits{5, 7});
  // Up to 512: a row and where it begins.
  CHECK(bitsThatLeaveOut(two, 64) == Bits{5, 9, 64});
  CHECK(rangeOf(two, 0, 9) == Range{0, 96, 32});
  CHECK(rangeOf(two, 7, 5) == Range{7, 7, 1});
  CHECK(bitsThatLeaveOut({{3, 1024, {512, 2560, 2}}, {4, -4096, kAny}, {5, 3, kAny}}, 64) == Bits{11, 12, 64});
  CHECK(bitsThatLeaveOut({{3, 8, {5, 5, 1}}}, 64) == Bits{64});
}

TEST_CASE("replay: what is said of random sums is true of all numbers") {
  std::mt19937_64 random(5);
  auto pick = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  std::size_t bounded = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Range> ranges;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t low = pick(-300, 300), step = pick(1, 20);
      ranges.push_back(random() % 6 == 0 ? Range{INT64_MIN, INT64_MAX - 3, 4}
                                         : Range{low, low + step * pick(0, 12), step});
    }
    auto some = [&] {
      Terms terms;
      for (std::int64_t count = pick(1, 6); count-- > 0;) {
        const auto unknown = static_cast<std::uint64_t>(pick(0, 5));
        terms = differenceOf(terms, {{unknown, pick(1, 9) << (random() % 9 == 0 ? 60 : pick(0, 6)), ranges[unknown]}});
      }
      return terms;
    };
    const Terms one = some(), other = some(), apart = differenceOf(one, other);
    const std::int64_t offset = pick(-1000, 1000);
    std::set<std::uint8_t> modulo = bitsThatLeaveOut(apart, 64);
    modulo.insert({1, static_cast<std::uint8_t>(pick(2, 63))});
    bounded += rangeOf(apart, offset, 64) != Range{};
    for (int time = 0; time < 20; ++time) {
      std::vector<std::int64_t> numbers;
      for (const Range &of : ranges)
        numbers.push_back(of.low == INT64_MIN ? wrappedSum(INT64_MIN, 4, pick(0, INT64_MAX))
                                              : of.low + of.step * pick(0, (of.high - of.low) / of.step));
      auto valueOf = [&](const Terms &terms) {
        std::int64_t sum = 0;
        for (const Multiple &term : terms)
          sum = wrappedSum(sum, term.factor, numbers[static_cast<std::size_t>(term.unknown)]);
        return sum;
      };
      const std::int64_t sum = wrappedSum(wrappedDifference(valueOf(one), valueOf(other)), offset);
      for (std::uint8_t bits : modulo)
        CHECK(contains(rangeOf(apart, offset, bits), bits, sum));
    }
  }
  CHECK(bounded > 200);
}
