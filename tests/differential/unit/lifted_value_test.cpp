#include "differential/lifted_value.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::differential;

namespace {

constexpr IntegerType kInt8{8, true}, kUint8{8, false}, kUint32{32, false}, kUint64{64, false};

struct Fixture {
  Kernel kernel;
  std::map<std::uint32_t, std::int64_t> arguments = {{0, 300}};
  std::map<std::string, std::int64_t> queries = {{"get_block_idx", 5}};
  std::vector<LiftedValue> variables;

  LiftedValue of(ExpressionId id) { return evaluate({kernel, arguments, queries}, variables, id); }
  ExpressionId constant(std::int64_t value, IntegerType type = kInt32) {
    return kernel.expressions.constant(value, type);
  }
  LiftedValue binary(Operator op, std::int64_t a, std::int64_t b, IntegerType type, bool compares = false) {
    return of(kernel.expressions.binary(op, constant(a, type), constant(b, type), compares ? kBoolean : type));
  }
  LiftedValue cast(std::int64_t value, IntegerType from, IntegerType to) {
    return of(kernel.expressions.cast(constant(value, from), to));
  }
};

} // namespace

TEST_CASE("lifted values: conversions keep the bits that fit", "[differential]") {
  Fixture f;
  CHECK(f.cast(300, kInt32, kUint8).bits == 44);
  CHECK(f.cast(200, kInt32, kInt8).bits == -56);
  CHECK(f.cast(-1, kInt32, kUint32).bits == 0xffffffffll);
  CHECK(f.cast(-1, kInt32, kUint64).bits == -1);
  CHECK(f.cast(0xffffffffll, kUint32, kInt32).bits == -1);
  CHECK(f.cast(7, kInt32, kBoolean).bits == 1);
}

TEST_CASE("lifted values: arithmetic wraps in its type", "[differential]") {
  Fixture f;
  CHECK(f.binary(Operator::Add, 0xffffffffll, 2, kUint32).bits == 1);
  CHECK(f.binary(Operator::Subtract, 1, 2, kUint32).bits == 0xffffffffll);
  CHECK(f.binary(Operator::Multiply, -1, -1, kUint64).bits == 1);
  CHECK(f.binary(Operator::Divide, -7, 2, kInt32).bits == -3);
  CHECK(f.binary(Operator::Remainder, -7, 2, kInt32).bits == -1);
  CHECK(f.binary(Operator::Divide, -2, 2, kUint64).bits == INT64_MAX);
  CHECK(f.binary(Operator::ShiftRight, -8, 1, kInt32).bits == -4);
  CHECK(f.binary(Operator::ShiftRight, -8, 1, kUint64).bits == static_cast<std::int64_t>(~std::uint64_t{7} >> 1));
  CHECK(f.binary(Operator::Less, -1, 0, kInt32, true).bits == 1);
  CHECK(f.binary(Operator::Less, -1, 0, kUint64, true).bits == 0);
}

TEST_CASE("lifted values: what C++ leaves undefined is unknown", "[differential]") {
  Fixture f;
  CHECK(f.binary(Operator::Divide, 1, 0, kInt32).state == LiftedValue::State::Unknown);
  CHECK(f.binary(Operator::ShiftLeft, 1, 32, kInt32).state == LiftedValue::State::Unknown);
  CHECK(f.of(f.kernel.expressions.opaque(kInt32)).state == LiftedValue::State::Unknown);
}

TEST_CASE("lifted values: one operand can decide", "[differential]") {
  Fixture f;
  ExpressionId unknown = f.kernel.expressions.opaque(kBoolean), no = f.constant(0, kBoolean),
               yes = f.constant(1, kBoolean);
  CHECK(f.of(f.kernel.expressions.binary(Operator::BitAnd, unknown, no, kBoolean)) == LiftedValue::known(0));
  CHECK(f.of(f.kernel.expressions.binary(Operator::BitOr, unknown, yes, kBoolean)) == LiftedValue::known(1));
  CHECK(f.of(f.kernel.expressions.select(unknown, f.constant(4), f.constant(4))) == LiftedValue::known(4));
  CHECK(f.of(f.kernel.expressions.select(unknown, f.constant(4), f.constant(5))) == LiftedValue::unknown());
}

TEST_CASE("lifted values: variables, elements, arguments and queries", "[differential]") {
  Fixture f;
  f.variables = {LiftedValue::known(10), LiftedValue::known(20), {}};
  ExpressionArena &e = f.kernel.expressions;
  CHECK(f.of(e.arrayElement(0, 2, f.constant(1), kInt32)) == LiftedValue::known(20));
  CHECK(f.of(e.arrayElement(0, 2, f.constant(2), kInt32)) == LiftedValue::unknown());
  CHECK(f.of(e.variable(2, kInt32)).state == LiftedValue::State::Unset);
  CHECK(f.of(e.parameter(0, kUint8, "n")) == LiftedValue::known(44));
  CHECK(f.of(e.parameter(1, kUint8, "m")) == LiftedValue::unknown());
  CHECK(f.of(e.query("get_block_idx", kInt64)) == LiftedValue::known(5));
}
