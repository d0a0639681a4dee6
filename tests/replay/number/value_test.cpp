#include "replay/number/value.h"

#include "replay/scalar_bench.h"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

using namespace ptosync::replay;
using namespace ptosync;
using namespace ptosync::test;

namespace {

using Values = std::vector<std::int64_t>;

Choices choicesOfRoot(std::uint64_t root, Values values) { return {root, std::move(values)}; }

bool equalNumbers(std::int64_t a, std::int64_t b) { return a == b; }

std::optional<std::int64_t> sumOfTwo(std::int64_t a, std::int64_t b) { return a + b; }

} // namespace

TEST_CASE("choices: remainders of a number and of its neighbours") {
  CHECK(remainders(7, 0, 4, false)->values == Values{0, 1, 2, 3});
  CHECK(remainders(7, 1, 4, false)->values == Values{1, 2, 3, 0});
  CHECK(remainders(7, -1, 4, false)->values == Values{3, 0, 1, 2});
  CHECK(remainders(7, 0, 3, true)->values == Values{0, 1, 2, 0, -2, -1});
  CHECK(remainders(7, 0, 3, false)->root == 7);
  CHECK(remainders(7, 0, 3, true)->root != 7);
  CHECK(remainders(7, 0, 3, true)->root != remainders(7, 1, 3, true)->root);
  CHECK_FALSE(remainders(7, 0, 1, false));
  CHECK_FALSE(remainders(7, 0, 200, false));
}

TEST_CASE("choices: two of one root are compared where they are at the same time") {
  const Choices here = *remainders(7, 0, 2, false), next = *remainders(7, 1, 2, false);
  CHECK_FALSE(anyPair(here, next, equalNumbers));
  CHECK(anyPair(here, *remainders(8, 1, 2, false), equalNumbers));
  CHECK(anyPair(here, *remainders(7, 2, 2, false), equalNumbers));
  // Of other counts: even in four is even in two.
  CHECK_FALSE(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(7, {100, 0, 100, 0}), equalNumbers));
  CHECK(anyPair(choicesOfRoot(7, {0, 100, 200}), choicesOfRoot(7, {100, 0}), equalNumbers));
  // No root: not even to itself.
  CHECK(anyPair(choicesOfRoot(0, {0, 100}), choicesOfRoot(0, {100, 0}), equalNumbers));
  CHECK(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(0, {100}), equalNumbers));
  CHECK_FALSE(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(0, {50}), equalNumbers));
}

TEST_CASE("choices: what is computed of two") {
  const Choices two = choicesOfRoot(7, {0, 10}), three = choicesOfRoot(7, {1, 2, 3});
  CHECK(joined(two, three, sumOfTwo)->values == Values{1, 12, 3, 11, 2, 13});
  CHECK(joined(two, three, sumOfTwo)->root == 7);
  CHECK(joined(two, choicesOfRoot(0, {5}), sumOfTwo) == choicesOfRoot(7, {5, 15}));
  CHECK(joined(choicesOfRoot(0, {5}), two, sumOfTwo) == choicesOfRoot(7, {5, 15}));
  CHECK_FALSE(joined(two, choicesOfRoot(8, {1, 2}), sumOfTwo));
  CHECK_FALSE(joined(choicesOfRoot(0, {1, 2}), choicesOfRoot(0, {1, 2}), sumOfTwo));
  CHECK_FALSE(joined(two, three, [](std::int64_t, std::int64_t) -> std::optional<std::int64_t> { return {}; }));
  CHECK_FALSE(joined(choicesOfRoot(7, Values(100, 1)), choicesOfRoot(7, Values(99, 1)), sumOfTwo)); // too many
  CHECK(changed(three, [](std::int64_t value) { return value * 4; }).values == Values{4, 8, 12});
}

TEST_CASE("choices: one of two arms") {
  const Choices odd = choicesOfRoot(7, {0, 1});
  CHECK(picked(odd, choicesOfRoot(0, {64}), choicesOfRoot(0, {128}))->values == Values{128, 64});
  CHECK(picked(odd, choicesOfRoot(7, {1, 2, 3}), choicesOfRoot(0, {9}))->values == Values{9, 2, 9, 1, 9, 3});
  CHECK_FALSE(picked(odd, choicesOfRoot(8, {1, 2}), choicesOfRoot(0, {9})));
}

TEST_CASE("choices: what a run has decided on") {
  Decided decided;
  CHECK_FALSE(decided.has(choicesOfRoot(7, {0, 1})));
  decided.roots.insert(7);
  CHECK(decided.has(choicesOfRoot(7, {0, 1})));
  CHECK_FALSE(decided.has(choicesOfRoot(8, {0, 1})));
  decided.everything = true;
  CHECK(decided.has(choicesOfRoot(8, {0, 1})));
}

TEST_CASE("replay: the distance of two values from one load does not depend on what was loaded") {
  Bench bench;
  bench.kernel.variables = {{"x", kInt64}, {"y", kInt64}, {"narrow", kInt32}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
  ExpressionArena &arena = bench.kernel.expressions;
  ExpressionId x = arena.variable(0, kInt64), y = arena.variable(1, kInt64), narrow = arena.variable(2, kInt32);
  for (VariableId variable = 0; variable < 3; ++variable)
    evaluator.assign(variable, evaluator.unknown(bench.kernel.variables[variable].type));
  auto add = [&](ExpressionId a, std::int64_t n) { return bench.binary(Operator::Add, a, bench.number(n), kInt64); };
  auto times = [&](ExpressionId a, std::int64_t n) {
    return bench.binary(Operator::Multiply, a, bench.number(n), kInt64);
  };
  auto at = [&](ExpressionId id) { return evaluator.evaluate(id); };
  auto apart = [&](ExpressionId a, ExpressionId b) -> std::optional<std::int64_t> {
    Value first = at(a), second = at(b);
    REQUIRE(first.origin == Origin::Unknown);
    if (first.base() == 0 || first.base() != second.base())
      return std::nullopt;
    return second.offset() - first.offset();
  };
  CHECK(apart(add(x, 5), add(x, 9)) == 4);
  CHECK(apart(times(add(x, 1), 8), times(x, 8)) == -8);
  CHECK(apart(x, y) == std::nullopt);
  CHECK(apart(times(x, 2), times(x, 4)) == std::nullopt);
  // Shifted to the left or taken from 0, it is a multiple of the same number.
  CHECK(apart(bench.binary(Operator::ShiftLeft, add(x, 1), bench.number(9), kInt64), times(x, 512)) == -512);
  CHECK(apart(arena.unary(Operator::Negate, add(x, 1), kInt64), times(x, -1)) == 1);
  CHECK(apart(arena.unary(Operator::BitNot, x, kInt64), times(x, -1)) == 1);
  ExpressionId sum = bench.binary(Operator::Add, times(x, 64), y, kInt64);
  ExpressionId other = bench.binary(Operator::Add, y, times(add(x, 3), 64), kInt64);
  CHECK(apart(sum, other) == 192);
  CHECK(apart(bench.binary(Operator::Subtract, x, y, kInt64), bench.binary(Operator::Subtract, x, add(y, 2), kInt64)) ==
        -2);
  // A number that is computed in another way than by sums is one number, at no known distance from what it is made of.
  ExpressionId divided = bench.binary(Operator::Divide, x, bench.number(3), kInt64);
  CHECK(apart(add(divided, 1), add(divided, 2)) == 1);
  CHECK(apart(divided, x) == std::nullopt);
  CHECK(apart(divided, bench.binary(Operator::Divide, add(x, 1), bench.number(3), kInt64)) == std::nullopt);
  // Sums in 32 bits may wrap: what is left of their distances is below; the loaded number itself is not lost.
  ExpressionId wide = arena.cast(narrow, kInt64);
  CHECK(apart(add(wide, 1), add(wide, 3)) == 2);
  ExpressionId wrapping = arena.cast(bench.binary(Operator::Add, narrow, bench.number(1, kInt32), kInt32), kInt64);
  CHECK(apart(wide, wrapping) == std::nullopt);
  CHECK(apart(wrapping, add(wrapping, 7)) == 7);
  CHECK(at(bench.binary(Operator::Subtract, x, x, kInt64)).base() == 0); // known after all: not taken for it
}

TEST_CASE("replay: what wraps in fewer bits is known up to the wraps") {
  Bench bench;
  bench.kernel.variables = {{"x", kInt32}, {"y", kInt32}, {"n", kInt32}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  ExpressionArena &arena = bench.kernel.expressions;
  ExpressionId x = arena.variable(0, kInt32), y = arena.variable(1, kInt32);
  auto add = [&](ExpressionId a, std::int64_t n) {
    return bench.binary(Operator::Add, a, bench.number(n, kInt32), kInt32);
  };
  auto times = [&](ExpressionId a, std::int64_t n, IntegerType type = kInt32) {
    return bench.binary(Operator::Multiply, a, bench.number(n, type), type);
  };
  auto wide = [&](ExpressionId a) { return arena.cast(a, kInt64); };
  constexpr IntegerType kByte{8, false};
  const std::vector<ExpressionId> values = {x,
                                            y,
                                            add(x, 30),
                                            times(x, 6),
                                            add(times(x, 6), 1),
                                            wide(add(times(x, 4), 3)),
                                            times(wide(add(times(y, 4), 3)), 512, kInt64),
                                            arena.cast(add(x, 255), kByte),
                                            bench.binary(Operator::Subtract, times(x, 2), times(y, 2), kInt32),
                                            bench.binary(Operator::Divide, x, bench.number(3, kInt32), kInt32)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Evaluator evaluator(bench.kernel, facts, bench.inputs, {seed, {5, 1 << 20, -7, 0x7fffffff, 123456789}});
    Value drawn[2];
    for (VariableId variable = 0; variable < 2; ++variable) {
      drawn[variable] = evaluator.unknown(kInt32);
      evaluator.assign(variable, drawn[variable]);
    }
    for (ExpressionId id : values) {
      Value value = evaluator.evaluate(id);
      REQUIRE(value.origin == Origin::Unknown);
      auto rest = [&](const Residue &of, std::int64_t bits) {
        return of.bits == 64 ? bits : bits & ((std::int64_t{1} << of.bits) - 1);
      };
      // The bits agree with the residue in every run.
      if (value.residue.bits != 0)
        CHECK(rest(value.residue, value.bits) == rest(value.residue, value.residue.offset));
    }
    // What both are counted from, and that in the most bits.
    auto common = [&](ExpressionId a, ExpressionId b) {
      std::pair<Congruence, Congruence> found;
      for (const Congruence &one : evaluator.evaluate(a).sums)
        for (const Congruence &other : evaluator.evaluate(b).sums)
          if (one.root == other.root && one.bits > found.first.bits)
            found = {one, other};
      return found;
    };
    // The bits of two numbers of one root differ by their offsets, up to the wraps.
    for (auto [a, b] : std::vector<std::pair<ExpressionId, ExpressionId>>{
             {x, values[2]}, {values[3], values[4]}, {times(x, 4), values[5]}, {x, values[7]}}) {
      auto [first, second] = common(a, b);
      REQUIRE(first.bits > 0);
      std::int64_t mask = (std::int64_t{1} << std::min(first.bits, second.bits)) - 1;
      CHECK(((evaluator.evaluate(b).bits - evaluator.evaluate(a).bits - (second.offset - first.offset)) & mask) == 0);
    }
    auto commonBits = [&](ExpressionId a, ExpressionId b) {
      auto [first, second] = common(a, b);
      return std::min(first.bits, second.bits);
    };
    CHECK(commonBits(x, y) == 0);
    CHECK(commonBits(x, x) == 64); // nothing wraps
    CHECK(commonBits(x, values[2]) == 32);
    CHECK(commonBits(x, values[7]) == 8);
    CHECK(commonBits(times(wide(y), 2048, kInt64), values[6]) == 41); // 32, and 512 of it
    CHECK(evaluator.evaluate(values[6]).residue.bits == 11);
    CHECK(evaluator.evaluate(values[6]).residue.offset == 3 * 512);
    CHECK(evaluator.evaluate(values[9]).residue.bits == 0);
    CHECK(commonBits(values[9], x) == 0);
  }
}

TEST_CASE("replay: two loads are two numbers, also where memory holds the same") {
  Bench bench;
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {0, {}});
  evaluator.startDraws(7, 1);
  Value first = evaluator.unknown(kInt64), second = evaluator.unknown(kInt64);
  evaluator.startDraws(7, 2);
  Value third = evaluator.unknown(kInt64);
  CHECK(first.bits == second.bits);
  CHECK(first.base() != second.base());
  CHECK(first.base() != third.base());
  CHECK(first.base() != 0);
}

TEST_CASE("replay: a factor that leaves too little of a number tells nothing apart") {
  Bench bench;
  bench.kernel.variables = {{"x", kInt64}, {"y", kInt64}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  auto times = [&](ExpressionId a, std::int64_t n) {
    return bench.binary(Operator::Multiply, a, bench.number(n), kInt64);
  };
  ExpressionId x = bench.kernel.expressions.variable(0, kInt64), y = bench.kernel.expressions.variable(1, kInt64);
  const std::int64_t top = std::numeric_limits<std::int64_t>::min();
  for (std::uint64_t instance = 0; instance < 40; ++instance) {
    Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
    evaluator.startDraws(7, instance);
    for (VariableId variable : {0, 1})
      evaluator.assign(variable, evaluator.unknown(kInt64));
    for (auto [a, b] : {std::pair(times(x, top), times(y, top)),
                        std::pair(times(times(x, 1 << 30), 1 << 30), times(times(y, 1 << 30), 1 << 30))}) {
      Value first = evaluator.evaluate(a), second = evaluator.evaluate(b);
      CHECK(first.base() != second.base());
      for (const Congruence &one : first.sums)
        for (const Congruence &other : second.sums)
          CHECK(one.root != other.root);
    }
  }
}

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
