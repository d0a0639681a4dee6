#include "replay/run/evaluator.h"

#include "replay/scalar_bench.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

using namespace ptosync::replay;
using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("address form: a sum of addresses leads into one argument or to no place that is known") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  CHECK(p.place() == 0u);
  CHECK(sumOf(p, -1, q).place() == std::nullopt);
  CHECK(sumOf(sumOf(p, -1, q), 1, q) == p);
  CHECK(sumOf(p, -1, p).plain());
  CHECK(sumOf(p, 1, p).place() == std::nullopt);
  CHECK(sumOf(sumOf({}, 2, p), -1, p) == p);
  CHECK(sumOf(p, 0, q) == p);
  CHECK(sumOf(p, -1, q).arguments() == std::set<std::uint32_t>{0, 1});
}

TEST_CASE("address form: what is computed from an address may be any place") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  const AddressForm half = computedFrom(p, {});
  CHECK(half.place() == std::nullopt);
  CHECK_FALSE(half.isSum());
  CHECK(half.arguments() == std::set<std::uint32_t>{0});
  CHECK(sumOf(q, 1, half).place() == std::nullopt);
  CHECK(sumOf(q, 1, half).arguments() == std::set<std::uint32_t>{0, 1});
  AddressForm outside;
  outside.outside = true;
  CHECK_FALSE(outside.plain());
  CHECK(sumOf(q, 1, outside).place() == std::nullopt);
}

TEST_CASE("address form: what is made from differences says how addresses lie to each other") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  CHECK(sumOf(p, -1, q).isRelative());
  CHECK_FALSE(p.isRelative());
  CHECK(computedFrom(sumOf(p, -1, q), {}).isRelative());
  CHECK_FALSE(computedFrom(p, q).isRelative());
  CHECK_FALSE(sumOf(q, 1, computedFrom(sumOf(p, -1, q), {})).isRelative());
  CHECK(sumOf({}, 4, computedFrom(sumOf(p, -1, q), {})).isRelative());
}

TEST_CASE("address form: equal forms have one number") {
  AddressForms forms;
  const AddressForm p = addressOf(0);
  CHECK(forms(AddressForm{}) == 0);
  const std::uint32_t number = forms(p);
  CHECK(number != 0);
  CHECK(forms(p) == number);
  CHECK(forms[number] == p);
  CHECK(forms[0].plain());
}

TEST_CASE("replay: memory contents by seed") {
  MemoryContents contents;
  contents.pool = {4, 8};
  CHECK(contents.at(1) == 0);
  contents.seed = 1;
  CHECK(contents.at(1) == 1);
  contents.seed = 2;
  std::set<std::int64_t> drawn;
  for (std::uint64_t key = 0; key < 40; ++key)
    drawn.insert(contents.at(key));
  CHECK(drawn == std::set<std::int64_t>{4, 8});
  std::int64_t last = 4;
  for (contents.seed = MemoryContents::kLastMixed + 1; contents.seed <= MemoryContents::kLast; ++contents.seed) {
    CHECK(contents.at(1) == contents.at(2));
    CHECK(contents.at(1) > last);
    last = contents.at(1);
  }
}

TEST_CASE("replay: inputs are described by the names in the file") {
  Module module = test::lift(test::vectorKernel("  (void) n;\n"));
  Inputs inputs;
  CHECK(describe(inputs, module.kernels[0]) == "no arguments");
  inputs.arguments[2] = -3;
  inputs.queries["get_block_idx"] = 1;
  inputs.seed = 5;
  CHECK(describe(inputs, module.kernels[0]) == "n=-3, get_block_idx()=1, memory contents 5");
}

namespace {

constexpr IntegerType kUnsigned32{32, false};

} // namespace

TEST_CASE("replay: arithmetic wraps in the type of its operands") {
  Bench bench;
  ExpressionId big = bench.number(0xffffffff, kUnsigned32), one = bench.number(1, kUnsigned32);
  CHECK(bench.value(bench.binary(Operator::Add, big, one, kUnsigned32)).bits == 0);
  ExpressionId least = bench.number(INT32_MIN, kInt32);
  CHECK(bench.value(bench.kernel.expressions.unary(Operator::Negate, least, kInt32)).bits == INT32_MIN);
  CHECK(bench.value(bench.kernel.expressions.cast(big, kInt32)).bits == -1);
  ExpressionId minusOne = bench.number(-1, kInt64), zero = bench.number(0, kInt64);
  CHECK(bench.value(bench.binary(Operator::Less, minusOne, zero, kBoolean)).bits == 1);
  ExpressionId wide = bench.kernel.expressions.cast(minusOne, kAddress);
  CHECK(bench.value(bench.binary(Operator::Less, wide, bench.number(0, kAddress), kBoolean)).bits == 0);
}

TEST_CASE("replay: what C++ leaves undefined is of unknown origin") {
  Bench bench;
  Value value = bench.value(bench.binary(Operator::Divide, bench.number(4), bench.number(0), kInt64), 1);
  CHECK(value.origin == Origin::Unknown);
  CHECK(value.bits == 1); // drawn from memory contents that are all one
}

TEST_CASE("replay: what memory chooses of known values is one of them") {
  Bench bench;
  ExpressionId opaque = bench.kernel.expressions.opaque(kInt64);
  ExpressionId choice = bench.kernel.expressions.select(opaque, bench.number(64), bench.number(128));
  for (std::uint64_t seed : {0, 1}) {
    Value value = bench.value(choice, seed);
    CHECK(value.bits == (seed ? 64 : 128));
    CHECK(value.origin == Origin::Sampled);
    REQUIRE(value.choices);
    CHECK(value.choices->values == std::vector<std::int64_t>{64, 128});
  }
  ExpressionId same = bench.kernel.expressions.select(opaque, bench.number(64), bench.number(64));
  CHECK(bench.value(same, 1) == Value{64, Origin::Argument, {}});
  ExpressionId known = bench.kernel.expressions.select(bench.number(0), bench.number(64), bench.number(128));
  CHECK(bench.value(known, 1) == Value{128, Origin::Fixed, {}});
}

TEST_CASE("replay: of two unknown numbers one is between the bounds of both, of two pointers it is one") {
  Bench bench;
  bench.kernel.variables = {{"small", {8, false}}, {"large", {16, false}}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  ExpressionArena &arena = bench.kernel.expressions;
  ExpressionId opaque = arena.opaque(kBoolean);
  ExpressionId some = arena.select(
      opaque, arena.cast(arena.variable(0, {8, false}), kInt64),
      bench.binary(Operator::Add, arena.cast(arena.variable(1, {16, false}), kInt64), bench.number(1000), kInt64));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
  for (VariableId variable : {0, 1})
    evaluator.assign(variable, evaluator.unknown(bench.kernel.variables[variable].type));
  Value value = evaluator.evaluate(some);
  CHECK(value.origin == Origin::Unknown);
  CHECK(value.range == Range{0, 66535, 1});
  CHECK(evaluator.decided().roots.empty());
  CHECK_FALSE(evaluator.memoryDecided());
}

TEST_CASE("replay: few numbers that are far apart") {
  Bench bench;
  bench.kernel.variables = {{"small", {8, false}}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
  evaluator.assign(0, evaluator.unknown({8, false}));
  ExpressionArena &arena = bench.kernel.expressions;
  ExpressionId eighth =
      bench.binary(Operator::Divide, arena.cast(arena.variable(0, {8, false}), kInt64), bench.number(32), kInt64);
  const std::int64_t far = std::int64_t{1} << 60;
  Value value = evaluator.evaluate(bench.binary(Operator::Multiply, eighth, bench.number(far), kInt64));
  if (value.choices) {
    CHECK(value.choices->values.size() == 8);
    CHECK(value.choices->values.back() == 7 * far);
  } else {
    CHECK(value.range == Range{0, 7 * far, far});
  }
}

TEST_CASE("replay: the larger or the smaller of two numbers has the bounds of that") {
  Bench bench;
  bench.kernel.variables = {{"any", kInt64}, {"whole", {64, false}}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  ExpressionArena &arena = bench.kernel.expressions;
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {4, {5, 9}});
  for (VariableId variable : {0, 1})
    evaluator.assign(variable, evaluator.unknown(bench.kernel.variables[variable].type));
  auto chosen = [&](Operator op, VariableId variable, bool itself) {
    const IntegerType type = bench.kernel.variables[variable].type;
    ExpressionId any = arena.variable(variable, type), bound = bench.number(7, type);
    return arena.select(bench.binary(op, any, bound, kBoolean), itself ? any : bound, itself ? bound : any);
  };
  CHECK(evaluator.evaluate(chosen(Operator::Less, 0, false)).range == Range{7, INT64_MAX});
  CHECK(evaluator.evaluate(chosen(Operator::LessEqual, 0, true)).range == Range{INT64_MIN, 7});
  CHECK(evaluator.evaluate(chosen(Operator::Greater, 0, true)).range == Range{7, INT64_MAX});
  CHECK(evaluator.evaluate(chosen(Operator::GreaterEqual, 0, false)).range == Range{INT64_MIN, 7});
  CHECK(evaluator.evaluate(chosen(Operator::NotEqual, 0, true)).range == Range{});
  CHECK(evaluator.evaluate(chosen(Operator::Less, 1, false)).range == Range{}); // compared without a sign
  // Never less than 7 times a number, and more: a comparison that is certain.
  ExpressionId sum = bench.binary(
      Operator::Add, bench.binary(Operator::Multiply, chosen(Operator::Less, 0, false), bench.number(24576), kInt64),
      bench.number(3), kInt64);
  ExpressionId place =
      arena.select(bench.binary(Operator::Less, sum, bench.number(0), kBoolean), bench.number(0), bench.number(64));
  CHECK(evaluator.evaluate(place) == Value{64, Origin::Fixed, {}});
}

TEST_CASE("replay: a remainder of few values is one of them, the value itself is not known") {
  Bench bench;
  ExpressionId opaque = bench.kernel.expressions.opaque(kInt64);
  CHECK(bench.value(opaque, 3).origin == Origin::Unknown);
  auto rest = [&](std::int64_t of) {
    return bench.value(bench.binary(Operator::Remainder, opaque, bench.number(of), kInt64), 3);
  };
  REQUIRE(rest(4).origin == Origin::Sampled);
  CHECK(rest(4).choices->values == std::vector<std::int64_t>{0, 1, 2, 3, 0, -3, -2, -1});
  CHECK(rest(4096).origin == Origin::Unknown);
  CHECK(rest(4096).range == Range{-4095, 4095, 1});
}

TEST_CASE("replay: an element at an unknown index is one of the array") {
  Bench bench;
  bench.kernel.variables = {{"a", kInt64}, {"b", kInt64}, {"c", kInt64}, {"x", kInt64}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  ExpressionArena &arena = bench.kernel.expressions;
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {1, {5, 9}});
  for (VariableId variable = 0; variable < 3; ++variable)
    evaluator.assign(variable, {512 * variable, Origin::Fixed, {}});
  evaluator.assign(3, evaluator.unknown(kInt64));
  ExpressionId x = arena.variable(3, kInt64), next = bench.binary(Operator::Add, x, bench.number(1), kInt64);
  Value here = evaluator.evaluate(arena.arrayElement(0, 3, x, kInt64));
  REQUIRE(here.choices);
  CHECK(here.bits == 512);
  CHECK(here.choices->values == std::vector<std::int64_t>{0, 512, 1024});
  Value there = evaluator.evaluate(arena.arrayElement(0, 3, next, kInt64));
  REQUIRE(there.choices);
  CHECK(there.bits == 1024);
  auto equal = [](std::int64_t a, std::int64_t b) { return a == b; };
  CHECK_FALSE(anyPair(*here.choices, *there.choices, equal));
  // Of an array that holds something unknown, it is the one that the contents lead to.
  evaluator.assign(2, evaluator.unknown(kInt64));
  CHECK_FALSE(evaluator.memoryDecided());
  CHECK(evaluator.evaluate(arena.arrayElement(0, 3, x, kInt64)) == Value{512, Origin::Fixed, {}});
  CHECK(evaluator.memoryDecided());
}

TEST_CASE("replay: an index of few bits says nothing of the remainders of what it was made from") {
  Bench bench;
  bench.kernel.variables = {{"a", kInt64}, {"b", kInt64}, {"c", kInt64}, {"x", kUnsigned32}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  ExpressionArena &arena = bench.kernel.expressions;
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {3, {258}});
  for (VariableId variable = 0; variable < 3; ++variable)
    evaluator.assign(variable, {variable, Origin::Fixed, {}});
  evaluator.assign(3, evaluator.unknown(kUnsigned32));
  ExpressionId x = arena.variable(3, kUnsigned32);
  Value element = evaluator.evaluate(arena.arrayElement(0, 3, arena.cast(x, {8, false}), kInt64));
  Value rest = evaluator.evaluate(bench.binary(Operator::Remainder, x, bench.number(3, kUnsigned32), kUnsigned32));
  REQUIRE((element.choices && rest.choices));
  CHECK(element.bits == 2);
  CHECK(rest.bits == 0);
  CHECK(anyPair(*element.choices, *rest.choices, [](std::int64_t a, std::int64_t b) { return a == 2 && b == 0; }));
}

TEST_CASE("replay: what the run has depended on is kept") {
  Bench bench;
  bench.kernel.variables = {{"x", kInt64}};
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator evaluator(bench.kernel, facts, bench.inputs, {1, {5, 9}});
  evaluator.assign(0, evaluator.unknown(kInt64));
  ExpressionId x = bench.kernel.expressions.variable(0, kInt64);
  auto mask = [&](std::int64_t bits) {
    return evaluator.evaluate(bench.binary(Operator::BitAnd, x, bench.number(bits), kInt64));
  };
  evaluator.decide(evaluator.evaluate(bench.binary(Operator::Less, x, bench.number(7), kBoolean)));
  CHECK_FALSE(evaluator.decided().has(*mask(3).choices)); // any remainder is less than 7 or is not
  evaluator.decide(mask(1));
  CHECK(evaluator.decided().has(*mask(3).choices));
  CHECK(evaluator.memoryDecided());
}

TEST_CASE("replay: pointer arguments have memories of their own, and offsets keep the argument") {
  Module module = lift(vectorKernel(tile("v1", "float", 8, 64, 0) + "  float x = in[n];\n  out[2 * n] = x;\n"));
  const Kernel &kernel = module.kernels[0];
  ScalarFacts facts(kernel, machineOf("a3"));
  CHECK(facts.pointerArguments == std::set<std::uint32_t>{0, 1});
  Inputs inputs;
  inputs.arguments[2] = 7;
  Evaluator evaluator(kernel, facts, inputs, {});
  std::vector<Value> seen;
  for (const Statement &statement : kernel.blocks[0].statements) {
    if (auto *assign = std::get_if<Assign>(&statement.action))
      evaluator.assign(assign->variable, evaluator.evaluate(assign->value));
    if (auto *instruction = std::get_if<Instruction>(&statement.action))
      for (const Operand &operand : instruction->operands)
        if (operand.kind == Operand::Kind::Pointer)
          seen.push_back(evaluator.evaluate(operand.value));
  }
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].region == Region::argument(0));
  CHECK(seen[1].region == Region::argument(1));
  CHECK(seen[0].bits % (std::int64_t{1} << 40) == 7 * 4);
  CHECK(seen[1].bits % (std::int64_t{1} << 40) == 14 * 4);
}

TEST_CASE("replay: draws depend on the key they start from and nothing else") {
  Bench bench;
  ScalarFacts facts(bench.kernel, machineOf("a3"));
  Evaluator a(bench.kernel, facts, bench.inputs, {4, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  Evaluator b(bench.kernel, facts, bench.inputs, {4, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  b.unknown(kInt64);
  a.startDraws(11, 1);
  b.startDraws(11, 1);
  for (int i = 0; i < 5; ++i)
    CHECK(a.unknown(kInt64) == b.unknown(kInt64));
}
