#include "ordering/iteration_shape.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;

namespace {

constexpr LoopId kLoop = 0;

/// start + step * iteration, as the analysis describes a counter that is known to stay within its type.
ScalarValue counter(ScalarAlgebra &algebra, IntegerType type, std::int64_t start, std::int64_t step) {
  Atom description;
  description.kind = Atom::Kind::Counter;
  description.scope = kLoop;
  description.interval = {0, 1000};
  description.key = "iteration";
  ScalarValue value = algebra.add(algebra.constant(start, type),
                                  algebra.scale(algebra.ofAtom(algebra.atom(description), type), step), false);
  value.type = type;
  return value;
}

/// A random expression, described and computed side by side.
struct Grown {
  ScalarValue value;
  std::function<std::optional<std::int64_t>(std::int64_t)> compute; // empty: undefined in C++
};

class Grower {
public:
  Grower(ScalarAlgebra &algebra, std::mt19937 &random) : algebra(algebra), random(random) {}

  Grown grow(IntegerType type, int depth) {
    if (depth == 0 || pick(4) == 0) {
      std::int64_t start = type.isSigned ? pick(9) - 3 : pick(5),
                   step = pick(4) == 0 ? -pick(2) * type.isSigned : 1 + pick(4);
      if (type.bits == 8)
        start = pick(3), step = 0;
      return {counter(algebra, type, start, step), [=](std::int64_t i) { return wrapTo(type, start + step * i); }};
    }
    static const std::vector<Operator> operators = {
        Operator::Add,        Operator::Subtract,  Operator::Multiply, Operator::Divide,      Operator::Remainder,
        Operator::ShiftRight, Operator::BitAnd,    Operator::BitXor,   Operator::Equal,       Operator::NotEqual,
        Operator::Less,       Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};
    Operator op = operators[static_cast<std::size_t>(pick(static_cast<std::int64_t>(operators.size())))];
    Grown left = grow(type, depth - 1), right;
    if (pick(3) != 0) {
      std::int64_t constant = 1 + pick(7);
      right = {algebra.constant(constant, type), [=](std::int64_t) { return std::optional(constant); }};
    } else {
      right = grow(type, depth - 1);
    }
    bool compares = op >= Operator::Equal && op <= Operator::GreaterEqual;
    IntegerType result = compares ? kBoolean : type;
    Grown grown;
    grown.value = algebra.convert(algebra.apply(op, result, left.value, right.value, kLoop), type);
    grown.compute = [=](std::int64_t i) -> std::optional<std::int64_t> {
      std::optional<std::int64_t> a = left.compute(i), b = right.compute(i);
      std::int64_t value = 0;
      if (!a || !b || !applyOperator(op, type, *a, *b, value))
        return std::nullopt;
      return wrapTo(type, wrapTo(result, value));
    };
    return grown;
  }

private:
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  }
  ScalarAlgebra &algebra;
  std::mt19937 &random;
};

} // namespace

TEST_CASE("iteration shape: plain forms", "[shapes]") {
  ScalarAlgebra algebra;
  IterationShapes shapes(algebra);
  ScalarValue k = counter(algebra, kInt64, 0, 1);
  auto constant = [&](std::int64_t value) { return algebra.constant(value, kInt64); };
  CHECK(shapes.shape(k, kLoop) == IterationShape{0, 1, 1});
  CHECK(shapes.shape(Operator::Divide, k, constant(4), kLoop) == IterationShape{0, 4, 1});
  CHECK(shapes.shape(Operator::Remainder, k, constant(4), kLoop) == IterationShape{0, 4, 0});
  ScalarValue quarter = algebra.apply(Operator::Divide, kInt64, k, constant(4), kLoop);
  CHECK(shapes.shape(Operator::Remainder, quarter, constant(2), kLoop) == IterationShape{0, 8, 0});
  CHECK(shapes.shape(Operator::Equal, k, constant(0), kLoop) == IterationShape{1, 1, 0});
  CHECK(shapes.shape(Operator::Less, k, constant(3), kLoop) == IterationShape{3, 1, 0});
  CHECK(shapes.shape(Operator::Less, quarter, constant(1), kLoop) == IterationShape{4, 1, 0});
  CHECK_FALSE(shapes.shape(Operator::Less, k, constant(100), kLoop)); // the prefix would be too long
  CHECK_FALSE(shapes.shape(Operator::Remainder, k, constant(65), kLoop));
  ScalarValue below = counter(algebra, kInt64, -3, 1);
  below.interval = {-3, 997};
  CHECK_FALSE(shapes.shape(Operator::Remainder, below, constant(2), kLoop)); // -1, 0 and 1
  CHECK(shapes.shape(Operator::BitAnd, below, constant(1), kLoop) == IterationShape{0, 2, 0});
}

TEST_CASE("iteration shape: against concrete evaluation", "[shapes]") {
  std::mt19937 random(7);
  std::size_t shaped = 0, tables = 0, repeating = 0;
  for (int round = 0; round < 20000; ++round) {
    ScalarAlgebra algebra;
    IterationShapes shapes(algebra);
    static const std::vector<IntegerType> types = {kInt64, kInt32, kAddress, {32, false}, {8, false}, {8, true}};
    IntegerType type = types[random() % types.size()];
    Grown grown = Grower(algebra, random).grow(type, 3);
    constexpr std::int64_t kTrips = 200;
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < kTrips; ++i)
      if (std::optional<std::int64_t> value = grown.compute(i))
        values.push_back(*value);
    if (values.size() < kTrips)
      continue; // undefined in some iteration
    for (const Term &term : grown.value.terms)
      tables += algebra[term.atom].kind == Atom::Kind::Table;
    std::optional<IterationShape> shape = shapes.shape(grown.value, kLoop);
    if (!shape)
      continue;
    ++shaped;
    repeating += shape->repeats();
    INFO("round " << round << ": " << algebra.describe(grown.value));
    for (std::int64_t i = 0; i < kTrips; ++i) {
      std::int64_t value = values[static_cast<std::size_t>(i)];
      REQUIRE(shapes.evaluate(grown.value, [&](LoopId) { return std::optional(i); }) == value);
      if (i >= shape->prefix && i + shape->period < kTrips)
        REQUIRE(values[static_cast<std::size_t>(i + shape->period)] == value + shape->slope);
    }
  }
  CHECK(shaped > 3000);
  CHECK(repeating > 1000);
  CHECK(tables > 100);
}
