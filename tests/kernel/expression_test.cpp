#include "kernel/expression.h"

#include <catch2/catch.hpp>

#include <optional>

using namespace ptosync;

namespace {

constexpr IntegerType kUint8{8, false}, kInt8{8, true}, kUint32{32, false}, kUint64{64, false};
constexpr std::int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;

/// Empty where the operation is undefined.
std::optional<std::int64_t> apply(Operator op, IntegerType type, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (!applyOperator(op, type, left, right, result))
    return std::nullopt;
  return result;
}

} // namespace

TEST_CASE("values wrap as C++ conversions do") {
  CHECK(wrapTo(kUint8, 255) == 255);
  CHECK(wrapTo(kUint8, 256) == 0);
  CHECK(wrapTo(kUint8, -1) == 255);
  CHECK(wrapTo(kInt8, 127) == 127);
  CHECK(wrapTo(kInt8, 128) == -128);
  CHECK(wrapTo(kInt8, -129) == 127);
  CHECK(wrapTo(kInt8, 511) == -1);
  CHECK(wrapTo(kInt32, 0x80000000) == -2147483648LL);
  CHECK(wrapTo(kUint32, -1) == 4294967295LL);
  CHECK(wrapTo(kUint32, 0x1234567890) == 0x34567890);
}

TEST_CASE("64 bits and values that are no integers stay as they are") {
  for (std::int64_t value : {kLowest, std::int64_t{-1}, std::int64_t{0}, kHighest}) {
    CHECK(wrapTo(kInt64, value) == value);
    CHECK(wrapTo(kUint64, value) == value);
    CHECK(wrapTo({}, value) == value);
  }
}

TEST_CASE("a bool is whether the value is not zero, not its low bit") {
  CHECK(wrapTo(kBoolean, 0) == 0);
  CHECK(wrapTo(kBoolean, 1) == 1);
  CHECK(wrapTo(kBoolean, 2) == 1);
  CHECK(wrapTo(kBoolean, -256) == 1);
}

TEST_CASE("wrapping twice is wrapping once, at every width") {
  for (std::uint8_t bits : {1, 8, 16, 32, 64})
    for (bool isSigned : {false, true})
      for (std::int64_t value : {kLowest, std::int64_t{-65537}, std::int64_t{-129}, std::int64_t{-1}, std::int64_t{0},
                                 std::int64_t{1}, std::int64_t{200}, std::int64_t{70000}, kHighest}) {
        IntegerType type{bits, isSigned};
        CAPTURE(int(bits), isSigned, value);
        CHECK(wrapTo(type, wrapTo(type, value)) == wrapTo(type, value));
      }
}

TEST_CASE("sums, differences and products wrap in their type") {
  CHECK(apply(Operator::Add, kInt32, 2, 3) == 5);
  CHECK(apply(Operator::Add, kUint32, 0xffffffff, 1) == 0);
  CHECK(apply(Operator::Add, kInt32, 0x7fffffff, 1) == -2147483648LL);
  CHECK(apply(Operator::Subtract, kUint32, 0, 1) == 0xffffffff);
  CHECK(apply(Operator::Subtract, kUint64, 0, 1) == -1);
  CHECK(apply(Operator::Multiply, kUint32, 0x10000, 0x10000) == 0);
  CHECK(apply(Operator::Multiply, kInt64, -7, 6) == -42);
  CHECK(apply(Operator::Add, kInt64, kHighest, 1) == kLowest);
}

TEST_CASE("division truncates towards zero, and the remainder follows the dividend") {
  CHECK(apply(Operator::Divide, kInt32, 7, 2) == 3);
  CHECK(apply(Operator::Divide, kInt32, -7, 2) == -3);
  CHECK(apply(Operator::Remainder, kInt32, -7, 2) == -1);
  CHECK(apply(Operator::Remainder, kInt32, 7, -2) == 1);
}

TEST_CASE("unsigned division takes the bit pattern") {
  CHECK(apply(Operator::Divide, kUint64, -1, 2) == kHighest);
  CHECK(apply(Operator::Remainder, kUint64, -1, 10) == 5); // 18446744073709551615 % 10
  CHECK(apply(Operator::Divide, kUint32, 0xffffffff, 0x10000) == 0xffff);
}

TEST_CASE("division by zero and its overflow are undefined") {
  for (IntegerType type : {kInt32, kUint32, kInt64, kUint64}) {
    CHECK_FALSE(apply(Operator::Divide, type, 5, 0));
    CHECK_FALSE(apply(Operator::Remainder, type, 5, 0));
  }
  CHECK_FALSE(apply(Operator::Divide, kInt64, kLowest, -1));
  CHECK_FALSE(apply(Operator::Remainder, kInt64, kLowest, -1));
  CHECK(apply(Operator::Divide, kUint64, kLowest, -1) == 0);
}

TEST_CASE("shifts keep the sign of signed values only") {
  CHECK(apply(Operator::ShiftLeft, kInt32, 3, 4) == 48);
  CHECK(apply(Operator::ShiftLeft, kUint8, 0x81, 1) == 2);
  CHECK(apply(Operator::ShiftRight, kInt32, -8, 1) == -4);
  CHECK(apply(Operator::ShiftRight, kUint64, -1, 63) == 1);
}

TEST_CASE("shifts by a negative amount or by the width are undefined") {
  CHECK_FALSE(apply(Operator::ShiftLeft, kInt32, 1, 32));
  CHECK_FALSE(apply(Operator::ShiftRight, kInt64, 1, 64));
  CHECK_FALSE(apply(Operator::ShiftRight, kInt32, 1, -1));
  CHECK(apply(Operator::ShiftLeft, kInt64, 1, 63) == kLowest);
}

TEST_CASE("bit operators work on patterns") {
  CHECK(apply(Operator::BitAnd, kInt32, 12, 10) == 8);
  CHECK(apply(Operator::BitOr, kInt32, 12, 10) == 14);
  CHECK(apply(Operator::BitXor, kInt32, 12, 10) == 6);
  CHECK(apply(Operator::BitAnd, kInt64, -1, 5) == 5);
}

TEST_CASE("comparisons depend on the sign of the operands' type") {
  CHECK(apply(Operator::Less, kInt64, -1, 1) == 1);
  CHECK(apply(Operator::Less, kUint64, -1, 1) == 0);
  CHECK(apply(Operator::Greater, kInt64, -1, 1) == 0);
  CHECK(apply(Operator::Greater, kUint64, -1, 1) == 1);
  CHECK(apply(Operator::LessEqual, kUint64, -1, -1) == 1);
  CHECK(apply(Operator::GreaterEqual, kInt64, -2, -1) == 0);
  CHECK(apply(Operator::GreaterEqual, kInt64, -1, -1) == 1);
  CHECK(apply(Operator::Equal, kUint64, -1, -1) == 1);
  CHECK(apply(Operator::NotEqual, kInt32, 3, 4) == 1);
  CHECK(apply(Operator::Equal, kInt32, 3, 4) == 0);
}

TEST_CASE("unary operators are not binary ones") {
  for (Operator op : {Operator::Negate, Operator::BitNot, Operator::LogicalNot})
    CHECK_FALSE(apply(op, kInt32, 1, 1));
}

TEST_CASE("operators print as C++ spells them") {
  const std::pair<Operator, std::string> spellings[] = {
      {Operator::Add, "+"},           {Operator::Subtract, "-"},   {Operator::Multiply, "*"},
      {Operator::Divide, "/"},        {Operator::Remainder, "%"},  {Operator::ShiftLeft, "<<"},
      {Operator::ShiftRight, ">>"},   {Operator::BitAnd, "&"},     {Operator::BitOr, "|"},
      {Operator::BitXor, "^"},        {Operator::Equal, "=="},     {Operator::NotEqual, "!="},
      {Operator::Less, "<"},          {Operator::LessEqual, "<="}, {Operator::Greater, ">"},
      {Operator::GreaterEqual, ">="}, {Operator::Negate, "-"},     {Operator::BitNot, "~"},
      {Operator::LogicalNot, "!"}};
  for (const auto &[op, spelling] : spellings)
    CHECK(operatorSpelling(op) == spelling);
}

TEST_CASE("the arena numbers expressions in order and keeps what it was given") {
  ExpressionArena arena;
  ExpressionId five = arena.constant(261, kUint8);
  ExpressionId x = arena.variable(7, kInt32);
  ExpressionId sum = arena.binary(Operator::Add, five, x, kInt32);
  ExpressionId choice = arena.select(sum, x, five);
  ExpressionId element = arena.arrayElement(3, 4, x, kInt64);
  ExpressionId argument = arena.parameter(2, kAddress, "gm");
  ExpressionId block = arena.query("get_block_idx", kInt64);
  CHECK(arena.size() == 7);
  CHECK(arena[five].constant == 5); // wrapped to its type
  CHECK(arena[x].variable == 7);
  CHECK(arena[sum].operands[0] == five);
  CHECK(arena[sum].operands[1] == x);
  CHECK(arena[choice].type == kInt32); // of the values, not of the condition
  CHECK(arena[element].variable == 3);
  CHECK(arena[element].count == 4);
  CHECK(arena[argument].constant == 2);
  CHECK(arena[argument].name == "gm");
  CHECK(arena[block].kind == Expression::Kind::Query);
  CHECK(arena[arena.opaque(kInt32)].kind == Expression::Kind::Opaque);
}
