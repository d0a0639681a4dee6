#include "replay/relation.h"

#include "replay/scalar_bench.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

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
