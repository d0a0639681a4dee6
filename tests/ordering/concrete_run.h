// A kernel's scalar code run with concrete arguments, as C++ runs it, by no code of src/ordering.
//
// What C++ leaves undefined ends the run: signed numbers of 32 bits or more that overflow, a division by zero, a shift
// too far. Narrower ones are counted as they are lowered: `++c` of eight bits wraps.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <vector>

namespace ptosync::test {

class ConcreteRun {
public:
  ConcreteRun(const Kernel &kernel, std::vector<std::int64_t> arguments)
      : kernel(kernel), arguments(std::move(arguments)), variables(kernel.variables.size(), 0) {}

  /// `values` by parameter number.
  void start(const std::vector<std::int64_t> &values) {
    arguments = values;
    std::fill(variables.begin(), variables.end(), 0);
    undefined = false;
  }
  std::int64_t variable(VariableId id) const { return variables[id]; }
  std::int64_t argument(std::size_t number) const { return arguments[number]; }
  const std::vector<std::int64_t> &state() const { return variables; }
  /// True once something was computed that C++ does not define.
  bool failed() const { return undefined; }

  void run(const Statement &statement) {
    if (const auto *assign = std::get_if<Assign>(&statement.action))
      variables[assign->variable] = wrapTo(kernel.variables[assign->variable].type, value(assign->value));
  }

  std::int64_t value(ExpressionId id) {
    const Expression &e = kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: return e.constant;
    case Expression::Kind::Variable: return variables[e.variable];
    case Expression::Kind::Cast: {
      std::int64_t inner = value(e.operands[0]);
      return e.type == kBoolean ? inner != 0 : wrapTo(e.type, inner);
    }
    case Expression::Kind::Unary: {
      std::int64_t inner = value(e.operands[0]);
      if (e.op == Operator::LogicalNot)
        return inner == 0;
      return wrapTo(e.type, e.op == Operator::Negate ? wrappedDifference(0, inner) : ~inner);
    }
    case Expression::Kind::Binary: return binary(e);
    case Expression::Kind::Select: return value(e.operands[value(e.operands[0]) ? 1 : 2]);
    case Expression::Kind::Parameter: return wrapTo(e.type, arguments[static_cast<std::size_t>(e.constant)]);
    default: undefined = true; return 0;
    }
  }

private:
  std::int64_t binary(const Expression &e) {
    std::int64_t left = value(e.operands[0]), right = value(e.operands[1]), result = 0;
    IntegerType type = kernel.expressions[e.operands[0]].type;
    if (!applyOperator(e.op, type, left, right, result)) {
      undefined = true;
      return 0;
    }
    bool sum = e.op == Operator::Add || e.op == Operator::Subtract || e.op == Operator::Multiply;
    if (sum && type.isSigned && type.bits >= 32) {
      __int128 a = left, b = right;
      __int128 whole = e.op == Operator::Add ? a + b : e.op == Operator::Subtract ? a - b : a * b;
      undefined = undefined || whole != result;
    }
    return wrapTo(e.type, result);
  }

  const Kernel &kernel;
  std::vector<std::int64_t> arguments;
  std::vector<std::int64_t> variables;
  bool undefined = false;
};

} // namespace ptosync::test
