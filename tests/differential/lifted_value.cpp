#include "differential/lifted_value.h"

namespace ptosync::differential {
namespace {

using Wide = __int128;

/// The number that a pattern of `type` stands for.
Wide meaning(IntegerType type, std::int64_t bits) {
  if (type.bits == 64 && !type.isSigned)
    return static_cast<Wide>(static_cast<std::uint64_t>(bits));
  return static_cast<Wide>(bits);
}

std::int64_t cut(IntegerType type, Wide value) {
  return asType(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<unsigned __int128>(value))));
}

bool compared(Operator op, Wide left, Wide right) {
  switch (op) {
  case Operator::Equal: return left == right;
  case Operator::NotEqual: return left != right;
  case Operator::Less: return left < right;
  case Operator::LessEqual: return left <= right;
  case Operator::Greater: return left > right;
  default: return left >= right;
  }
}

class Evaluation {
public:
  Evaluation(const LiftedSurroundings &surroundings, const std::vector<LiftedValue> &variables)
      : around(surroundings), variables(variables) {}

  LiftedValue of(ExpressionId id) const {
    if (id == kNone)
      return LiftedValue::unknown();
    const Expression &e = around.kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: return LiftedValue::known(asType(e.type, e.constant));
    case Expression::Kind::Variable: return variables[e.variable];
    case Expression::Kind::Unary: return unary(e);
    case Expression::Kind::Binary: return binary(e);
    case Expression::Kind::Cast: return cast(e);
    case Expression::Kind::Select: return select(e);
    case Expression::Kind::ArrayElement: return element(e);
    case Expression::Kind::Parameter: {
      auto given = around.arguments.find(static_cast<std::uint32_t>(e.constant));
      return given == around.arguments.end() ? LiftedValue::unknown()
                                             : LiftedValue::known(asType(e.type, given->second));
    }
    case Expression::Kind::Query: {
      auto given = around.queries.find(e.name);
      return given == around.queries.end() ? LiftedValue::unknown() : LiftedValue::known(asType(e.type, given->second));
    }
    default: return LiftedValue::unknown();
    }
  }

private:
  IntegerType typeOf(ExpressionId id) const { return around.kernel.expressions[id].type; }

  LiftedValue cast(const Expression &e) const {
    LiftedValue value = of(e.operands[0]);
    if (e.type.bits == 0 || !value.isKnown())
      return LiftedValue::unknown();
    return LiftedValue::known(asType(e.type, value.bits));
  }

  LiftedValue unary(const Expression &e) const {
    LiftedValue value = of(e.operands[0]);
    if (!value.isKnown() || e.type.bits == 0)
      return LiftedValue::unknown();
    Wide number = meaning(typeOf(e.operands[0]), value.bits);
    switch (e.op) {
    case Operator::Negate: return LiftedValue::known(cut(e.type, -number));
    case Operator::BitNot: return LiftedValue::known(cut(e.type, -number - 1));
    case Operator::LogicalNot: return LiftedValue::known(number == 0);
    default: return LiftedValue::unknown();
    }
  }

  LiftedValue binary(const Expression &e) const {
    LiftedValue left = of(e.operands[0]), right = of(e.operands[1]);
    auto is = [](const LiftedValue &value, std::int64_t number) { return value.isKnown() && value.bits == number; };
    if (e.op == Operator::BitAnd && (is(left, 0) || is(right, 0)))
      return LiftedValue::known(0);
    if (e.op == Operator::BitOr && e.type == kBoolean && (is(left, 1) || is(right, 1)))
      return LiftedValue::known(1);
    if (!left.isKnown() || !right.isKnown() || e.type.bits == 0)
      return LiftedValue::unknown();
    // Operands have one type; where they do not, the left one's counts, as for every user of a kernel.
    IntegerType type = typeOf(e.operands[0]);
    bool shift = e.op == Operator::ShiftLeft || e.op == Operator::ShiftRight;
    Wide a = meaning(type, left.bits), b = meaning(shift ? typeOf(e.operands[1]) : type, right.bits);
    if (isComparison(e.op))
      return LiftedValue::known(compared(e.op, a, b));
    if (shift && (b < 0 || b >= type.bits))
      return LiftedValue::unknown();
    switch (e.op) {
    case Operator::Add: return LiftedValue::known(cut(e.type, a + b));
    case Operator::Subtract: return LiftedValue::known(cut(e.type, a - b));
    case Operator::Multiply:
      return LiftedValue::known(
          cut(e.type, static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b))));
    case Operator::Divide: return b == 0 ? LiftedValue::unknown() : LiftedValue::known(cut(e.type, a / b));
    case Operator::Remainder: return b == 0 ? LiftedValue::unknown() : LiftedValue::known(cut(e.type, a % b));
    case Operator::ShiftLeft:
      return LiftedValue::known(
          cut(e.type, static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(b))));
    case Operator::ShiftRight: return LiftedValue::known(cut(e.type, a >> static_cast<int>(b)));
    case Operator::BitAnd: return LiftedValue::known(cut(e.type, a & b));
    case Operator::BitOr: return LiftedValue::known(cut(e.type, a | b));
    case Operator::BitXor: return LiftedValue::known(cut(e.type, a ^ b));
    default: return LiftedValue::unknown();
    }
  }

  LiftedValue select(const Expression &e) const {
    LiftedValue condition = of(e.operands[0]);
    if (condition.isKnown())
      return of(e.operands[condition.bits != 0 ? 1 : 2]);
    LiftedValue first = of(e.operands[1]), second = of(e.operands[2]);
    return first == second ? first : LiftedValue::unknown();
  }

  LiftedValue element(const Expression &e) const {
    LiftedValue index = of(e.operands[0]);
    if (!index.isKnown() || index.bits < 0 || index.bits >= static_cast<std::int64_t>(e.count))
      return LiftedValue::unknown();
    return variables[e.variable + static_cast<VariableId>(index.bits)];
  }

  const LiftedSurroundings &around;
  const std::vector<LiftedValue> &variables;
};

} // namespace

std::int64_t asType(IntegerType type, std::int64_t value) {
  if (type.bits == 1)
    return value != 0;
  if (type.bits != 8 && type.bits != 16 && type.bits != 32)
    return value;
  std::int64_t modulus = std::int64_t{1} << type.bits;
  std::int64_t low = value & (modulus - 1);
  return type.isSigned && low >= modulus / 2 ? low - modulus : low;
}

LiftedValue evaluate(const LiftedSurroundings &surroundings, const std::vector<LiftedValue> &variables,
                     ExpressionId id) {
  return Evaluation(surroundings, variables).of(id);
}

} // namespace ptosync::differential
