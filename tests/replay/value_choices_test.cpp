#include "replay/value_choices.h"

#include "replay/relation.h"
#include "replay/scalar_bench.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// Expressions over loaded numbers of all types, as a kernel may compute an address.
class RandomExpressions {
public:
  RandomExpressions(Bench &bench, std::uint64_t seed, bool narrow) : bench(bench), random(seed), narrow(narrow) {
    const std::vector<IntegerType> types = {{8, false}, {8, true}, {16, true}, {32, false}, kInt32, kInt64, kBoolean};
    for (IntegerType type : types)
      bench.kernel.variables.push_back({"x", type});
  }

  ExpressionId any(int depth) {
    ExpressionArena &arena = bench.kernel.expressions;
    if (depth == 0) {
      const auto variable = static_cast<VariableId>(pick(bench.kernel.variables.size()));
      return arena.cast(arena.variable(variable, bench.kernel.variables[variable].type), type());
    }
    const ExpressionId left = any(depth - 1);
    const IntegerType of = arena[left].type;
    auto number = [&](std::int64_t low, std::int64_t high) {
      return bench.number(low + pick(static_cast<std::uint64_t>(high - low + 1)), of);
    };
    auto make = [&](Operator op, ExpressionId right) { return bench.binary(op, left, right, of); };
    switch (pick(13)) {
    case 11: return make(Operator::ShiftLeft, bench.number(pick(7), of));
    case 12: return arena.unary(pick(2) ? Operator::Negate : Operator::BitNot, left, of);
    case 0: return make(Operator::Add, number(0, 40));
    case 1: return make(Operator::Multiply, number(0, 9));
    case 2: return make(Operator::Add, arena.cast(any(depth - 1), of));
    case 3: return make(Operator::Subtract, arena.cast(any(depth - 1), of));
    case 4: return make(Operator::BitAnd, number(0, 20));
    case 5: return make(Operator::Remainder, bench.number(narrow ? 1 + pick(8) : std::int64_t{1} << pick(6), of));
    case 6: return make(pick(2) ? Operator::Divide : Operator::ShiftRight, number(1, 4));
    case 7: {
      const auto op = static_cast<Operator>(static_cast<std::int64_t>(Operator::Equal) + pick(6));
      return arena.cast(bench.binary(op, left, pick(2) ? number(0, 3) : arena.cast(any(depth - 1), of), kBoolean), of);
    }
    case 8:
      return arena.select(arena.cast(any(depth - 1), kBoolean), left,
                          pick(2) ? number(0, 30) : arena.cast(any(depth - 1), of));
    case 9: return arena.cast(arena.cast(left, {8, false}), type()); // wraps in any case
    default: return arena.cast(left, type());
    }
  }

private:
  std::int64_t pick(std::uint64_t count) { return static_cast<std::int64_t>(random() % count); }
  IntegerType type() { return pick(3) == 0 ? kInt32 : narrow || pick(2) ? kInt64 : kAddress; }

  Bench &bench;
  std::mt19937_64 random;
  bool narrow; // nothing wraps
};

bool congruent(std::int64_t a, std::int64_t b, std::uint8_t bits) {
  const auto apart = static_cast<std::uint64_t>(wrappedDifference(a, b));
  return bits == 0 || apart << (64 - bits) == 0;
}

/// What the terms plus `offset` say, up to 2^bits, is true of `number`.
void checkTerms(const Terms &terms, std::int64_t offset, std::uint8_t bits, std::int64_t number) {
  if (bits == 0)
    return;
  for (std::uint8_t some : bitsThatLeaveOut(terms, bits)) {
    const Range range = rangeOf(terms, offset, some);
    if (some == 64)
      CHECK(mayBeApart(range, {number, number}, 0, 0));
    else if (const auto between = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
             between >> some == 0) { // else all of them
      const std::uint64_t below = (std::uint64_t{1} << some) - 1,
                          over = static_cast<std::uint64_t>(wrappedDifference(number, range.low)) & below;
      CHECK(over <= between);
      CHECK(over % static_cast<std::uint64_t>(range.step) == 0);
    }
  }
}

/// What two values say of each other is true of the bits that they have in one run.
void checkRelation(const Value &a, const Value &b, std::int64_t ofA, std::int64_t ofB) {
  if (a.choices && b.choices)
    CHECK(anyPair(*a.choices, *b.choices, [&](std::int64_t x, std::int64_t y) { return x == ofA && y == ofB; }));
  if (a.origin != Origin::Unknown || b.origin != Origin::Unknown)
    return;
  const std::int64_t apart = wrappedDifference(ofA, ofB);
  for (const Congruence &one : a.sums)
    for (const Congruence &other : b.sums) {
      const std::int64_t offsets = wrappedDifference(one.offset, other.offset);
      const std::uint8_t bits = std::min(one.bits, other.bits);
      if (one.root == other.root)
        CHECK(congruent(apart, offsets, bits));
      checkTerms(differenceOf(one.terms, other.terms), offsets, bits, apart);
    }
}

void checkBits(const Value &value, std::int64_t bits) {
  if (value.origin < Origin::Sampled)
    CHECK(bits == value.bits);
  if (value.choices)
    CHECK(std::count(value.choices->values.begin(), value.choices->values.end(), bits) > 0);
  if (value.origin != Origin::Unknown)
    return;
  CHECK(mayBeApart(value.range, {bits, bits}, 0, 0));
  CHECK(congruent(bits, value.residue.offset, value.residue.bits));
}

/// Many expressions, each with what is said of it in one run and its bits in others.
std::size_t checkExpressions(std::uint64_t seed, bool narrow, const std::vector<std::int64_t> &pool) {
  Bench bench;
  RandomExpressions made(bench, seed, narrow);
  std::vector<ExpressionId> expressions;
  for (int i = 0; i < 24; ++i)
    expressions.push_back(made.any(1 + i % 3));
  for (int i = 0; i < 12 && narrow; ++i) { // close to one another
    ExpressionArena &arena = bench.kernel.expressions;
    const ExpressionId some = arena.cast(expressions[static_cast<std::size_t>(i)], kInt64);
    for (ExpressionId of : {some, bench.binary(Operator::Add, some, bench.number(2), kInt64),
                            arena.cast(arena.cast(some, {8, false}), kInt64)})
      expressions.push_back(bench.binary(Operator::Remainder, of, bench.number(3), kInt64));
  }
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  auto start = [&](std::uint64_t contents, std::uint64_t key) {
    auto evaluator = std::make_unique<Evaluator>(bench.kernel, facts, bench.inputs, MemoryContents{contents, pool});
    evaluator->startDraws(key + seed, 1); // other contents, the same execution
    for (VariableId variable = 0; variable < bench.kernel.variables.size(); ++variable)
      evaluator->assign(variable, evaluator->unknown(bench.kernel.variables[variable].type));
    return evaluator;
  };
  auto first = start(2, 2000);
  std::vector<Value> said;
  std::size_t choices = 0;
  for (ExpressionId id : expressions) {
    said.push_back(first->evaluate(id));
    choices += said.back().choices != nullptr;
  }
  for (std::uint64_t contents = 0; contents < 40; ++contents) {
    auto other = start(2 + contents % 6, contents * 77);
    std::vector<std::int64_t> bits;
    for (ExpressionId id : expressions)
      bits.push_back(other->evaluate(id).bits);
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      checkBits(said[i], bits[i]);
      for (std::size_t j = 0; j < i; ++j)
        checkRelation(said[i], said[j], bits[i], bits[j]);
    }
  }
  return choices;
}

} // namespace

TEST_CASE("replay: what is said of a number is true whatever memory holds") {
  std::size_t choices = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    choices += checkExpressions(seed, false, {0, 1, 5, -7, 1 << 20, 0x7fffffff, 123456789, -1, 255, 32768});
    choices += checkExpressions(1000 + seed, true, {0, 1, 2, 3, 5, 7, 11, 20, 100, 127});
  }
  CHECK(choices > 500);
}

TEST_CASE("replay: few values of known and unknown numbers") {
  Bench bench;
  bench.kernel.variables = {{"x", kInt32}, {"y", kInt32}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
  for (VariableId variable : {0, 1})
    evaluator.assign(variable, evaluator.unknown(kInt32));
  const Value x = evaluator.variable(0), y = evaluator.variable(1), four{4, Origin::Fixed, {}}, zero{};
  CHECK(choicesOf(four) == Choices{0, {4}});
  CHECK_FALSE(choicesOf(x));
  CHECK(binaryChoices(Operator::BitAnd, kInt32, four, x)->values.size() == 8);
  CHECK_FALSE(binaryChoices(Operator::Add, kInt32, x, four));
  CHECK_FALSE(binaryChoices(Operator::Remainder, kInt32, x, zero));
  // One question asked in two ways.
  const Choices less = *binaryChoices(Operator::Less, kInt32, x, y),
                above = *binaryChoices(Operator::Greater, kInt32, y, x),
                not_less = *binaryChoices(Operator::GreaterEqual, kInt32, x, y);
  CHECK(less == above);
  CHECK(less.root == not_less.root);
  CHECK(less.values != not_less.values);
  CHECK(less.root != binaryChoices(Operator::Less, {32, false}, x, y)->root);
  CHECK(nonzero(x).root == binaryChoices(Operator::Equal, kInt32, zero, x)->root);
}
