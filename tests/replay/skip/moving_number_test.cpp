#include "replay/skip/moving_number.h"

#include "fuzz/random_source.h"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace ptosync;
using namespace ptosync::replay;
using ptosync::fuzz::RandomSource;

namespace {

constexpr int kExit = 7;

Moving counter(std::int64_t now, std::int64_t gain, std::int64_t inner = 0) {
  Moving number;
  number.bits = now;
  number.gains = {gain, inner};
  return number;
}

/// Of a moving number, `outer` and `inner` periods later.
std::int64_t later(const Moving &number, std::int64_t outer, std::int64_t inner) {
  return wrappedSum(wrappedSum(number.bits, number.gains[0], outer), number.gains[1], inner);
}

/// A random computation from two counters, done with moving numbers, and with plain ones.
struct Computation {
  struct Step {
    enum class Kind { Binary, Unary, Convert, Truth } kind;
    Operator op;
    IntegerType from, to; // of the operands, of the result
    std::size_t left, right;
  };
  struct Input {
    IntegerType type;
    std::int64_t now, outer, inner;
  };
  std::vector<Input> inputs;
  std::vector<Step> steps;

  std::vector<Moving> moving(Course &course) const {
    std::vector<Moving> numbers;
    for (const Input &input : inputs)
      numbers.push_back(course.converted(counter(input.now, input.outer, input.inner), input.type));
    for (const Step &step : steps) {
      const Moving &left = numbers[step.left], &right = numbers[step.right];
      switch (step.kind) {
      case Step::Kind::Binary: numbers.push_back(course.binary(step.op, step.from, left, right)); break;
      case Step::Kind::Unary: numbers.push_back(course.unary(step.op, step.to, left)); break;
      case Step::Kind::Convert: numbers.push_back(course.converted(left, step.to)); break;
      case Step::Kind::Truth: numbers.push_back(course.truth(left, step.from)); break;
      }
    }
    return numbers;
  }

  /// As C++ computes it; empty from where something is undefined.
  std::vector<std::optional<std::int64_t>> plain(std::int64_t outer, std::int64_t inner) const {
    std::vector<std::optional<std::int64_t>> numbers;
    for (const Input &input : inputs)
      numbers.push_back(wrapTo(
          input.type, wrappedSum(wrappedSum(wrapTo(input.type, input.now), input.outer, outer), input.inner, inner)));
    for (const Step &step : steps)
      numbers.push_back(plainStep(step, numbers[step.left], numbers[step.right]));
    return numbers;
  }

private:
  static std::optional<std::int64_t> plainStep(const Step &step, std::optional<std::int64_t> left,
                                               std::optional<std::int64_t> right) {
    if (!left || !right)
      return std::nullopt;
    std::int64_t result = 0;
    switch (step.kind) {
    case Step::Kind::Binary:
      return applyOperator(step.op, step.from, *left, *right, result) ? std::optional(result) : std::nullopt;
    case Step::Kind::Unary:
      if (step.op == Operator::LogicalNot)
        return *left == 0;
      return wrapTo(step.to, step.op == Operator::BitNot ? ~*left : wrappedDifference(0, *left));
    case Step::Kind::Convert: return wrapTo(step.to, *left);
    case Step::Kind::Truth: return *left != 0;
    }
    return std::nullopt;
  }
};

const std::vector<IntegerType> kTypes = {kInt32, kInt64, {32, false}, kAddress, {8, true}, {16, false}};

Computation randomComputation(RandomSource &random) {
  Computation made;
  const std::vector<std::int64_t> interesting = {0,  1,   2,  3,  4,   7,   8,   16,        31,       40,
                                                 64, 100, -1, -3, 127, 128, 255, INT32_MAX, INT64_MAX};
  std::vector<IntegerType> types;
  for (int i = 0; i < 4; ++i) {
    Computation::Input input;
    input.type = random.pick(kTypes);
    input.now = random.chance(70) ? random.between(-8, 40) : random.pick(interesting);
    input.outer = i == 3 ? 0 : random.between(-3, 4) * (random.chance(30) ? 16 : 1);
    input.inner = i == 3 || random.chance(50) ? 0 : random.between(-2, 5);
    if (i >= 2) // constants
      input = {random.pick(kTypes), random.pick(interesting), 0, 0};
    made.inputs.push_back(input);
    types.push_back(input.type);
  }
  for (int i = 0; i < 6; ++i) {
    Computation::Step step{};
    step.left = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(types.size())));
    step.right = step.left;
    step.from = step.to = types[step.left];
    const std::int64_t kind = random.below(10);
    if (kind < 2) {
      step.kind = Computation::Step::Kind::Convert;
      step.to = random.chance(20) ? kBoolean : random.pick(kTypes);
    } else if (kind == 2) {
      step.kind = Computation::Step::Kind::Truth;
      step.to = kBoolean;
    } else if (kind == 3) {
      step.kind = Computation::Step::Kind::Unary;
      step.op = static_cast<Operator>(
          random.between(static_cast<int>(Operator::Negate), static_cast<int>(Operator::LogicalNot)));
      if (step.op == Operator::LogicalNot)
        step.to = kBoolean;
    } else {
      step.kind = Computation::Step::Kind::Binary;
      step.op = static_cast<Operator>(random.below(static_cast<int>(Operator::GreaterEqual) + 1));
      std::vector<std::size_t> fitting; // operands have one type
      for (std::size_t other = 0; other < types.size(); ++other)
        if (types[other] == step.from)
          fitting.push_back(other);
      step.right = random.pick(fitting);
      if (isComparison(step.op))
        step.to = kBoolean;
    }
    made.steps.push_back(step);
    types.push_back(step.to);
  }
  return made;
}

/// How far a course of 100 periods goes when this is asked in it.
template <typename Ask> std::uint64_t lasts(const Ask &ask) {
  Course course(100);
  course.because(kExit);
  CHECK(ask(course));
  CHECK(course.limit() == (course.periods() < 100 ? kExit : 0));
  return course.periods();
}

Moving number(std::int64_t bits) { return counter(bits, 0); }

} // namespace

TEST_CASE("replay: a course goes as far as what is asked stays even") {
  auto comparison = [](Operator op, std::int64_t now, std::int64_t gain, std::int64_t limit) {
    return lasts([&](Course &course) { return course.binary(op, kInt32, counter(now, gain), number(limit)).steady(); });
  };
  CHECK(comparison(Operator::Less, 3, 1, 40) == 36);          // 39 < 40
  CHECK(comparison(Operator::Equal, 3, 1, 40) == 36);         // up to 39
  CHECK(comparison(Operator::Equal, 40, 1, 40) == 0);         // and no more
  CHECK(comparison(Operator::Greater, 3, 1, 40) == 37);       // 40 > 40 is false still
  CHECK(comparison(Operator::GreaterEqual, 90, -3, 6) == 28); // 6 >= 6
  CHECK(comparison(Operator::NotEqual, 90, -3, 7) == 27);     // no further than to where it would pass
  CHECK(comparison(Operator::Less, 3, 0, 40) == 100);
  CHECK(lasts([](Course &course) {
          const Moving rest = course.binary(Operator::Remainder, kInt32, counter(3, 1), number(64));
          return rest == counter(3, 1);
        }) == 60);
  CHECK(lasts([](Course &course) {
          return course.binary(Operator::Divide, kInt32, counter(3, 8), number(4)) == counter(0, 2);
        }) == 100);
  CHECK(lasts([](Course &course) { return course.converted(counter(250, 1), {8, false}).known; }) == 5);
}

TEST_CASE("replay: what does not move evenly is not known") {
  Course course(100);
  CHECK_FALSE(course.binary(Operator::Multiply, kInt64, counter(1, 1), counter(1, 1)).known);
  CHECK_FALSE(course.binary(Operator::BitXor, kInt64, counter(1, 1), number(5)).known);
  CHECK_FALSE(course.binary(Operator::Remainder, kInt64, counter(0, 1), number(4)).known); // four periods are few
  Moving loaded = number(5);
  loaded.byMemory = true;
  CHECK_FALSE(course.binary(Operator::Less, kInt64, counter(1, 1), loaded).known);
  CHECK(course.binary(Operator::Add, kInt64, counter(1, 1), loaded).known);
  CHECK(course.periods() == 100);
}

TEST_CASE("replay: a loop inside counts with all of its periods") {
  Course course(100);
  REQUIRE(course.enter(10));
  CHECK(course.binary(Operator::Less, kInt32, counter(0, 1, 3), number(50)).steady()); // p + 3 * 10 < 50
  CHECK(course.periods() == 19);
  CHECK_FALSE(course.binary(Operator::Less, kInt32, counter(0, 1, 3), number(20)).known); // not in all of them
  course.leave();
  CHECK(course.binary(Operator::Less, kInt32, counter(0, 1), number(10)).steady());
  CHECK(course.periods() == 9);
}

TEST_CASE("replay: moving numbers are what plain ones are in each period of their course") {
  RandomSource random(1);
  std::size_t moved = 0, cutShort = 0;
  for (int round = 0; round < 60000; ++round) {
    const Computation computation = randomComputation(random);
    const std::int64_t extent = random.below(4);
    Course course(60);
    REQUIRE(course.enter(static_cast<std::uint64_t>(extent)));
    const std::vector<Moving> numbers = computation.moving(course);
    cutShort += course.periods() < 60 && course.periods() > 0;
    for (std::int64_t outer = 0; outer <= static_cast<std::int64_t>(course.periods()); ++outer)
      for (std::int64_t inner = 0; inner <= extent; ++inner) {
        const auto plain = computation.plain(outer, inner);
        for (std::size_t i = 0; i < numbers.size(); ++i)
          if (numbers[i].known && plain[i]) {
            moved += !numbers[i].steady();
            if (later(numbers[i], outer, inner) != *plain[i]) {
              CAPTURE(round, i, outer, inner, course.periods());
              REQUIRE(later(numbers[i], outer, inner) == *plain[i]);
            }
          }
      }
  }
  CHECK(moved > 100000);
  CHECK(cutShort > 5000);
}

TEST_CASE("moving number: 64 bits without a sign are compared as what they are") {
  const IntegerType whole = {64, false};
  Moving counter, bound;
  counter.bits = 5;
  counter.gains[0] = 3;
  bound.bits = -3; // n - 3 where n is 0
  Course course(1000);
  const Moving less = course.binary(Operator::Less, whole, counter, bound);
  CHECK(less.steady());
  CHECK(less.bits == 1);
  CHECK(course.periods() == 1000);
  // With a sign it is below 0.
  CHECK(course.binary(Operator::Less, kInt64, counter, bound).bits == 0);
}
