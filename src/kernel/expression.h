// Scalar expressions of a kernel, as written, in an arena.
//
// The frontend lowers C++ integer arithmetic to these nodes one to one, casts included, so that
// every engine can evaluate a kernel's scalar code by its own means: the static engine
// symbolically, the replay with concrete numbers. Nothing is folded or simplified here.
// Pointers are 64-bit byte addresses; pointer arithmetic is already scaled to bytes.
// Tested by tests/kernel/expression_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

using ExpressionId = std::uint32_t;
using VariableId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffu;

/// Width and signedness of an integer value. `bits` is 1 (bool), 8, 16, 32 or 64; 0 means the
/// value is not an integer (floating point, enum object, ...) and is never interpreted.
struct IntegerType {
  std::uint8_t bits = 0;
  bool isSigned = false;
  bool operator==(const IntegerType &) const = default;
};

inline constexpr IntegerType kBoolean{1, false};
inline constexpr IntegerType kInt32{32, true};
inline constexpr IntegerType kInt64{64, true};
inline constexpr IntegerType kAddress{64, false};

/// Returns `value` reduced to `type` as C++ does (modulo 2^bits, then sign-extended if signed).
/// The result is the value's 64-bit two's-complement pattern.
std::int64_t wrapTo(IntegerType type, std::int64_t value);

/// These compute modulo 2^64, as 64-bit arithmetic of the machine does.
constexpr std::int64_t wrappedSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrappedDifference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrappedProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// Returns start + a * b: one more term of a sum.
constexpr std::int64_t wrappedSum(std::int64_t start, std::int64_t a, std::int64_t b) {
  return wrappedSum(start, wrappedProduct(a, b));
}

enum class Operator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Negate,
  BitNot,
  LogicalNot,
};

/// Returns the C++ spelling, e.g. "+" or "<=".
const char *operatorSpelling(Operator op);

/// Returns true for "==" to ">=".
constexpr bool isComparison(Operator op) { return op >= Operator::Equal && op <= Operator::GreaterEqual; }

/// Computes a binary operator on two values of type `type`. Returns false if the result is undefined
/// (division by zero, shift out of range).
bool applyOperator(Operator op, IntegerType type, std::int64_t left, std::int64_t right, std::int64_t &result);

struct Expression {
  enum class Kind : std::uint8_t {
    Constant,     // constant
    Variable,     // variable
    Unary,        // op, operands[0]
    Binary,       // op, operands[0..1], evaluated in the type of the operands
    Cast,         // operands[0] converted to type
    Select,       // operands[0] ? operands[1] : operands[2]
    ArrayElement, // variables [variable, variable + count) indexed by operands[0]
    Parameter,    // the kernel's argument number `constant`, constant during the run
    Query,        // a value of the core that never changes during the run, by name
    Opaque,       // a value the frontend does not follow; a new one each time it is evaluated
  };
  /// Says what the text means by a value or an operator beyond its bits. It matters to who asks which memory an address
  /// leads to.
  enum class Sense : std::uint8_t {
    Plain,
    Pointer,  // Parameter: the address where the memory of an argument begins
    Index,    // Add, Subtract: operands[1] counts elements of what the pointer operands[0] points to
    NullTest, // Equal, NotEqual: asks whether a pointer is null
  };
  Kind kind = Kind::Opaque;
  Operator op = Operator::Add;
  Sense sense = Sense::Plain;
  IntegerType type;
  std::uint32_t count = 0;
  VariableId variable = kNone;
  std::int64_t constant = 0;
  std::array<ExpressionId, 3> operands = {kNone, kNone, kNone};
  std::string name;
};

/// Owns the expressions of one kernel.
class ExpressionArena {
public:
  ExpressionId constant(std::int64_t value, IntegerType type);
  ExpressionId variable(VariableId variable, IntegerType type);
  ExpressionId unary(Operator op, ExpressionId operand, IntegerType type);
  ExpressionId binary(Operator op, ExpressionId left, ExpressionId right, IntegerType type,
                      Expression::Sense sense = Expression::Sense::Plain);
  ExpressionId cast(ExpressionId operand, IntegerType type);
  ExpressionId select(ExpressionId condition, ExpressionId whenTrue, ExpressionId whenFalse);
  ExpressionId arrayElement(VariableId first, std::uint32_t count, ExpressionId index, IntegerType type);
  ExpressionId parameter(std::uint32_t number, IntegerType type, std::string name);
  /// Adds the address where the memory of a pointer argument begins.
  ExpressionId pointerParameter(std::uint32_t number, std::string name);
  ExpressionId query(std::string name, IntegerType type);
  ExpressionId opaque(IntegerType type);
  /// Copies an expression of another arena, whose variables are those of this one.
  ExpressionId copyOf(const ExpressionArena &other, ExpressionId id);

  const Expression &operator[](ExpressionId id) const { return expressions[id]; }
  std::size_t size() const { return expressions.size(); }

private:
  ExpressionId add(Expression expression);
  std::vector<Expression> expressions;
};

/// Returns true if the two are written alike: the same operations on the same variables and constants. What the
/// frontend does not follow is like nothing.
bool sameExpression(const ExpressionArena &arena, ExpressionId a, const ExpressionArena &other, ExpressionId b);

/// Calls `visit(variable)` for each variable whose value an expression may depend on: all elements where one of an
/// array is read. A variable that is read twice is visited twice; kNone reads nothing.
template <typename Visit>
void forEachVariable(const ExpressionArena &expressions, ExpressionId id, const Visit &visit) {
  if (id == kNone)
    return;
  const Expression &expression = expressions[id];
  if (expression.kind == Expression::Kind::Variable)
    visit(expression.variable);
  if (expression.kind == Expression::Kind::ArrayElement)
    for (std::uint32_t i = 0; i < expression.count; ++i)
      visit(expression.variable + i);
  for (ExpressionId operand : expression.operands)
    forEachVariable(expressions, operand, visit);
}

} // namespace ptosync
