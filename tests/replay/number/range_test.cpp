#include "replay/number/range.h"

#include "kernel/expression.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>
#include <vector>

using namespace ptosync;
using namespace ptosync::replay;

namespace {

bool inside(const Range &range, std::int64_t value) {
  return value >= range.low && value <= range.high &&
         (static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(range.low)) %
                 static_cast<std::uint64_t>(range.step) ==
             0;
}

/// Undefined in C++.
bool overflows(Operator op, IntegerType type, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!type.isSigned || type.bits != 64)
    return false;
  return (op == Operator::Add && __builtin_add_overflow(a, b, &result)) ||
         (op == Operator::Subtract && __builtin_sub_overflow(a, b, &result)) ||
         (op == Operator::Multiply && __builtin_mul_overflow(a, b, &result));
}

const std::vector<IntegerType> kRangeTypes = {{8, true},  {8, false},  {16, true}, {16, false},
                                              {32, true}, {32, false}, {64, true}, {64, false}};

} // namespace

TEST_CASE("range: of types, and what conversion leaves") {
  CHECK(rangeOf(IntegerType{8, false}) == Range{0, 255, 1});
  CHECK(rangeOf(IntegerType{16, true}) == Range{-32768, 32767, 1});
  CHECK(rangeOf(kBoolean) == Range{0, 1, 1});
  CHECK(rangeOf(kAddress) == Range{});
  CHECK(converted({0, 200, 4}, kInt32) == Range{0, 200, 4});
  CHECK(converted({0, 200, 4}, {8, true}) == Range{-128, 127, 1});
}

TEST_CASE("range: a byte times 64, and a row of it") {
  const Range byte = rangeOf(IntegerType{8, false}), rows = rangeOf(Operator::Multiply, kInt32, byte, {64, 64}, kInt32);
  CHECK(rows == Range{0, 255 * 64, 64});
  CHECK(rangeOf(Operator::Add, kInt32, rows, {1000, 1000}, kInt32) == Range{1000, 1000 + 255 * 64, 64});
  CHECK(rangeOf(Operator::Remainder, kInt32, byte, {100, 100}, kInt32) == Range{0, 99, 1});
  CHECK(rangeOf(Operator::Remainder, kInt32, rows, {96, 96}, kInt32) == Range{0, 95, 32});
  CHECK(rangeOf(Operator::Remainder, kInt32, byte, {1000, 1000}, kInt32) == byte);
  CHECK(rangeOf(Operator::BitAnd, kInt32, rangeOf(kInt32), {127, 127}, kInt32) == Range{0, 127, 1});
  CHECK(rangeOf(Operator::ShiftRight, kInt32, byte, {3, 3}, kInt32) == Range{0, 31, 1});
  CHECK(rangeOf(Operator::Subtract, kInt32, {0, 0}, rows, kInt32) == Range{-255 * 64, 0, 64});
  // What may wrap has the bounds of its type.
  CHECK(rangeOf(Operator::Multiply, kInt32, rangeOf(kInt32), {2, 2}, kInt32) == rangeOf(kInt32));
}

TEST_CASE("range: signed numbers of 64 bits do not overflow") {
  const Range some{0, INT64_MAX - 7};
  CHECK(rangeOf(Operator::Multiply, kInt64, some, {24576, 24576}, kInt64) ==
        Range{0, 24576 * (INT64_MAX / 24576), 24576});
  CHECK(rangeOf(Operator::Add, kInt64, some, {128, 128}, kInt64) == Range{128, INT64_MAX});
  CHECK(rangeOf(Operator::Subtract, kInt64, {-9, INT64_MAX}, some, kInt64) == Range{INT64_MIN, INT64_MAX});
  CHECK(rangeOf(Operator::Subtract, kInt64, {-8, 9}, some, kInt64) == Range{INT64_MIN, 9});
  // Long steps of what may overflow say nothing.
  CHECK(rangeOf(Operator::Multiply, kInt64, some, {INT64_C(1) << 60, INT64_C(1) << 60}, kInt64) == Range{0, INT64_MAX});
  // Others may, and what is certain to may be anything.
  const IntegerType whole{64, false};
  CHECK(rangeOf(Operator::Add, whole, some, {128, 128}, whole) == Range{});
  CHECK(rangeOf(Operator::Add, kInt64, {INT64_MAX - 1, INT64_MAX}, {2, 9}, kInt64) == Range{});
  CHECK(rangeOf(Operator::ShiftLeft, kInt64, some, {3, 3}, kInt64) == Range{});
}

TEST_CASE("range: what lies within bounds") {
  CHECK(within({0, 100, 8}, 9, 50) == Range{16, 48, 8});
  CHECK(within({0, 100, 8}, -5, 500) == Range{0, 96, 8});
  CHECK(within({3, 3}, 0, 9) == Range{3, 3});
  CHECK(within({0, 100, 8}, 9, 15) == Range{0, 100, 8}); // nothing: not reached
  CHECK(within({}, 0, INT64_MAX) == Range{0, INT64_MAX});
}

TEST_CASE("range: a comparison that all numbers in the ranges agree about") {
  std::mt19937_64 random(12);
  auto pick = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  std::size_t sure = 0;
  for (int round = 0; round < 20000; ++round) {
    const IntegerType type = pick(2) ? kInt64 : IntegerType{64, false};
    const std::int64_t low = pick(21) - 8, other = pick(21) - 8;
    const Range left{low, low + pick(6)}, right{other, other + pick(6)};
    const auto op = static_cast<Operator>(static_cast<std::int64_t>(Operator::Equal) + pick(6));
    std::set<bool> answers;
    for (std::int64_t a = left.low; a <= left.high; ++a)
      for (std::int64_t b = right.low; b <= right.high; ++b) {
        std::int64_t result = 0;
        REQUIRE(applyOperator(op, type, a, b, result));
        answers.insert(result != 0);
      }
    if (std::optional<bool> said = compared(op, type, left, right)) {
      CHECK(answers == std::set<bool>{*said});
      ++sure;
    } else if (type.isSigned && op != Operator::Equal && op != Operator::NotEqual) {
      CHECK(answers.size() == 2);
    }
  }
  CHECK(sure > 5000);
}

TEST_CASE("range: numbers that may be so far apart") {
  const Range rows{0, 640, 64};
  CHECK(mayBeApart(rows, {128, 128}, -31, 31));
  CHECK_FALSE(mayBeApart(rows, {96, 96}, -31, 31));
  CHECK(mayBeApart(rows, {96, 96}, -32, 31));
  CHECK_FALSE(mayBeApart(rows, {1000, 1000}, -63, 63));
  CHECK_FALSE(mayBeApart(rows, {32, 32 + 640, 64}, -31, 31));
  CHECK(mayBeApart(rows, {32, 32 + 640, 48}, -31, 31));
  CHECK(mayBeApart({}, {}, 5, 5));
  CHECK_FALSE(mayBeApart({7, 7}, {9, 9}, 3, 100));
}

TEST_CASE("range: what conversion does not change") {
  CHECK(fits({0, 255, 1}, {8, false}));
  CHECK_FALSE(fits({0, 256, 1}, {8, false}));
  CHECK_FALSE(fits({-1, 3, 1}, {32, false}));
  CHECK(fits({INT32_MIN, INT32_MAX, 1}, kInt32));
  CHECK(fits({}, kInt64));
  CHECK_FALSE(fits({3, 3, 1}, {0, false})); // no integer
}

TEST_CASE("range: a number of which the last bits are known") {
  CHECK(aligned({0, 1000, 1}, {64, 8}) == Range{64, 832, 256});
  CHECK(aligned({-100, 100, 4}, {8, 5}) == Range{-88, 72, 32});
  CHECK(aligned({0, 1000, 512}, {0, 8}) == Range{0, 1000, 512}); // which says more
  CHECK(aligned({0, 10, 1}, {0, 0}) == Range{0, 10, 1});
  CHECK(aligned({10, 20, 1}, {64, 8}) == Range{10, 20, 1}); // none: not reached
  CHECK(aligned({}, {3, 9}) == Range{INT64_MIN + 3, INT64_MAX - 508, 512});
}

TEST_CASE("range: every result of two numbers in their ranges is in its range") {
  std::mt19937_64 random(11);
  auto pick = [&](std::uint64_t count) { return static_cast<std::int64_t>(random() % count); };
  auto some = [&](IntegerType type) { // a number of the type, small or large
    return wrapTo(type, pick(3) ? pick(600) - 300 : static_cast<std::int64_t>(random()));
  };
  std::size_t bounded = 0;
  for (int round = 0; round < 40000; ++round) {
    const IntegerType type = kRangeTypes[static_cast<std::size_t>(pick(kRangeTypes.size()))];
    const auto op = static_cast<Operator>(pick(static_cast<std::uint64_t>(Operator::BitXor) + 1));
    std::vector<std::int64_t> members[2];
    Range ranges[2];
    for (int side : {0, 1}) {
      const std::int64_t first = some(type), count = pick(3) ? pick(6) : 0, step = 1 + pick(70);
      members[side] = {first};
      for (std::int64_t i = 1; i <= count && wrapTo(type, first + i * step) == first + i * step && first < 1 << 20; ++i)
        members[side].push_back(first + i * step);
      ranges[side] = {first, members[side].back(), step};
    }
    const Range range = rangeOf(op, type, ranges[0], ranges[1], type), both = spanOf(ranges[0], ranges[1]);
    bounded += !(range == rangeOf(type));
    for (std::int64_t a : members[0])
      for (std::int64_t b : members[1]) {
        CHECK(inside(both, a));
        CHECK(inside(both, b));
        CHECK(mayBeApart(ranges[0], ranges[1], wrappedDifference(b, a), wrappedDifference(b, a)) ==
              (__builtin_sub_overflow_p(b, a, std::int64_t{0}) ? false : true));
        std::int64_t result = 0;
        if (applyOperator(op, type, a, b, result) && !overflows(op, type, a, b) && !inside(range, result)) {
          CAPTURE(static_cast<int>(op), type.bits, type.isSigned, a, b, result, range.low, range.high, range.step);
          FAIL_CHECK();
        }
      }
  }
  CHECK(bounded > 10000);
}

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
