#include "kernel/expression.h"

#include <utility>

namespace ptosync {

std::int64_t wrapTo(IntegerType type, std::int64_t value) {
  if (type.bits == 0 || type.bits >= 64)
    return value;
  if (type.bits == 1)
    return value != 0;
  std::uint64_t mask = (std::uint64_t{1} << type.bits) - 1;
  std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
  if (type.isSigned && (low >> (type.bits - 1)))
    low |= ~mask;
  return static_cast<std::int64_t>(low);
}

const char *operatorSpelling(Operator op) {
  switch (op) {
  case Operator::Add: return "+";
  case Operator::Subtract: return "-";
  case Operator::Multiply: return "*";
  case Operator::Divide: return "/";
  case Operator::Remainder: return "%";
  case Operator::ShiftLeft: return "<<";
  case Operator::ShiftRight: return ">>";
  case Operator::BitAnd: return "&";
  case Operator::BitOr: return "|";
  case Operator::BitXor: return "^";
  case Operator::Equal: return "==";
  case Operator::NotEqual: return "!=";
  case Operator::Less: return "<";
  case Operator::LessEqual: return "<=";
  case Operator::Greater: return ">";
  case Operator::GreaterEqual: return ">=";
  case Operator::Negate: return "-";
  case Operator::BitNot: return "~";
  case Operator::LogicalNot: return "!";
  }
  return "?";
}

namespace {

template <typename T> bool compare(Operator op, T left, T right) {
  switch (op) {
  case Operator::Equal: return left == right;
  case Operator::NotEqual: return left != right;
  case Operator::Less: return left < right;
  case Operator::LessEqual: return left <= right;
  case Operator::Greater: return left > right;
  default: return left >= right;
  }
}

bool divide(Operator op, IntegerType type, std::int64_t left, std::int64_t right, std::int64_t &result) {
  if (right == 0)
    return false;
  bool quotient = op == Operator::Divide;
  if (type.isSigned) {
    if (left == INT64_MIN && right == -1)
      return false;
    result = quotient ? left / right : left % right;
    return true;
  }
  auto dividend = static_cast<std::uint64_t>(left), divisor = static_cast<std::uint64_t>(right);
  result = static_cast<std::int64_t>(quotient ? dividend / divisor : dividend % divisor);
  return true;
}

bool shift(Operator op, IntegerType type, std::int64_t left, std::int64_t right, std::int64_t &result) {
  if (right < 0 || right >= (type.bits ? type.bits : 64))
    return false;
  if (op == Operator::ShiftLeft)
    result = static_cast<std::int64_t>(static_cast<std::uint64_t>(left) << right);
  else if (type.isSigned)
    result = left >> right;
  else
    result = static_cast<std::int64_t>(static_cast<std::uint64_t>(left) >> right);
  return true;
}

} // namespace

bool applyOperator(Operator op, IntegerType type, std::int64_t left, std::int64_t right, std::int64_t &result) {
  switch (op) {
  case Operator::Add: result = wrappedSum(left, right); break;
  case Operator::Subtract: result = wrappedDifference(left, right); break;
  case Operator::Multiply: result = wrappedProduct(left, right); break;
  case Operator::Divide:
  case Operator::Remainder:
    if (!divide(op, type, left, right, result))
      return false;
    break;
  case Operator::ShiftLeft:
  case Operator::ShiftRight:
    if (!shift(op, type, left, right, result))
      return false;
    break;
  case Operator::BitAnd: result = left & right; break;
  case Operator::BitOr: result = left | right; break;
  case Operator::BitXor: result = left ^ right; break;
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::Less:
  case Operator::LessEqual:
  case Operator::Greater:
  case Operator::GreaterEqual:
    result = type.isSigned ? compare(op, left, right)
                           : compare(op, static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(right));
    return true;
  default: return false;
  }
  result = wrapTo(type, result);
  return true;
}

ExpressionId ExpressionArena::add(Expression expression) {
  expressions.push_back(std::move(expression));
  return static_cast<ExpressionId>(expressions.size() - 1);
}

ExpressionId ExpressionArena::constant(std::int64_t value, IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::Constant;
  e.type = type;
  e.constant = wrapTo(type, value);
  return add(std::move(e));
}

ExpressionId ExpressionArena::variable(VariableId variable, IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::Variable;
  e.type = type;
  e.variable = variable;
  return add(std::move(e));
}

ExpressionId ExpressionArena::unary(Operator op, ExpressionId operand, IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::Unary;
  e.op = op;
  e.type = type;
  e.operands[0] = operand;
  return add(std::move(e));
}

ExpressionId ExpressionArena::binary(Operator op, ExpressionId left, ExpressionId right, IntegerType type,
                                     Expression::Sense sense) {
  Expression e;
  e.kind = Expression::Kind::Binary;
  e.op = op;
  e.sense = sense;
  e.type = type;
  e.operands[0] = left;
  e.operands[1] = right;
  return add(std::move(e));
}

ExpressionId ExpressionArena::cast(ExpressionId operand, IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::Cast;
  e.type = type;
  e.operands[0] = operand;
  return add(std::move(e));
}

ExpressionId ExpressionArena::select(ExpressionId condition, ExpressionId whenTrue, ExpressionId whenFalse) {
  Expression e;
  e.kind = Expression::Kind::Select;
  e.type = expressions[whenTrue].type;
  e.operands = {condition, whenTrue, whenFalse};
  return add(std::move(e));
}

ExpressionId ExpressionArena::arrayElement(VariableId first, std::uint32_t count, ExpressionId index,
                                           IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::ArrayElement;
  e.type = type;
  e.variable = first;
  e.count = count;
  e.operands[0] = index;
  return add(std::move(e));
}

ExpressionId ExpressionArena::parameter(std::uint32_t number, IntegerType type, std::string name) {
  Expression e;
  e.kind = Expression::Kind::Parameter;
  e.type = type;
  e.constant = number;
  e.name = std::move(name);
  return add(std::move(e));
}

ExpressionId ExpressionArena::pointerParameter(std::uint32_t number, std::string name) {
  const ExpressionId id = parameter(number, kAddress, std::move(name));
  expressions[id].sense = Expression::Sense::Pointer;
  return id;
}

ExpressionId ExpressionArena::query(std::string name, IntegerType type) {
  Expression e;
  e.kind = Expression::Kind::Query;
  e.type = type;
  e.name = std::move(name);
  return add(std::move(e));
}

ExpressionId ExpressionArena::opaque(IntegerType type) {
  Expression e;
  e.type = type;
  return add(std::move(e));
}

ExpressionId ExpressionArena::copyOf(const ExpressionArena &other, ExpressionId id) {
  if (id == kNone)
    return kNone;
  Expression copy = other[id];
  for (ExpressionId &operand : copy.operands)
    operand = copyOf(other, operand);
  return add(std::move(copy));
}

bool sameExpression(const ExpressionArena &arena, ExpressionId a, const ExpressionArena &other, ExpressionId b) {
  if (a == kNone || b == kNone)
    return a == b;
  const Expression &x = arena[a], &y = other[b];
  if (x.kind != y.kind || x.op != y.op || x.type != y.type || x.count != y.count || x.variable != y.variable ||
      x.constant != y.constant || x.name != y.name || x.kind == Expression::Kind::Opaque)
    return false;
  for (std::size_t i = 0; i < x.operands.size(); ++i)
    if (!sameExpression(arena, x.operands[i], other, y.operands[i]))
      return false;
  return true;
}

} // namespace ptosync
