#include "frontend/guard/escaped_addresses.h"

#include <algorithm>
#include <vector>

namespace ptosync {
namespace {

/// One bit for each argument, the last one for all from there on.
using Arguments = std::uint64_t;
constexpr std::uint32_t kLastBit = 63;

Arguments bitOf(std::uint32_t number) { return Arguments{1} << std::min(number, kLastBit); }

class EscapeFinder {
public:
  EscapeFinder(Kernel &kernel, const EscapeFacts &facts)
      : kernel(kernel), facts(facts), ofVariable(kernel.variables.size(), 0),
        ofExpression(kernel.expressions.size(), 0), isFollowed(kernel.expressions.size(), false) {}

  void find() {
    pointers = pointerArguments(kernel);
    kernel.addressesInMemory = facts.pointersRead;
    if (pointers.empty() && facts.madePointers.empty())
      return;
    markFollowed();
    do {
      changed = false;
      evaluateAll();
      flow();
      escapeLost();
    } while (changed);
    for (ExpressionId id : facts.madePointers)
      kernel.addressesInMemory |= ofExpression[id] == 0 && !isConstant(id);
    for (std::uint32_t number : pointers)
      if (escaped & bitOf(number))
        kernel.escaped.insert(number);
    relateLost();
  }

private:
  void follow(ExpressionId id) {
    if (id == kNone || isFollowed[id])
      return;
    isFollowed[id] = true;
    for (ExpressionId operand : kernel.expressions[id].operands)
      follow(operand);
  }

  /// Marks what the statements of the kernel are made of: who follows them sees it.
  void markFollowed() {
    for (const Block &block : kernel.blocks) {
      for (const Statement &statement : block.statements)
        forEachValue(statement, [&](ExpressionId id) { follow(id); });
      follow(block.terminator.condition);
    }
    isOperand.assign(kernel.expressions.size(), false);
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      for (ExpressionId operand : kernel.expressions[id].operands)
        if (operand != kNone)
          isOperand[operand] = true;
  }

  bool isConstant(ExpressionId id) const {
    const Expression &e = kernel.expressions[id];
    return e.kind == Expression::Kind::Constant || (e.kind == Expression::Kind::Cast && isConstant(e.operands[0]));
  }

  /// Operands stand in front of what they are operands of.
  void evaluateAll() {
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      ofExpression[id] |= evaluate(kernel.expressions[id]);
  }

  Arguments evaluate(const Expression &e) const {
    auto operand = [&](int i) { return ofExpression[e.operands[i]]; };
    switch (e.kind) {
    case Expression::Kind::Parameter:
      return e.sense == Expression::Sense::Pointer ? bitOf(static_cast<std::uint32_t>(e.constant)) : 0;
    case Expression::Kind::Variable: return ofVariable[e.variable];
    case Expression::Kind::Unary: return e.op == Operator::LogicalNot ? 0 : operand(0);
    case Expression::Kind::Cast: return e.type == kBoolean ? 0 : operand(0);
    case Expression::Kind::Binary: return isComparison(e.op) ? 0 : operand(0) | operand(1);
    case Expression::Kind::Select: return operand(1) | operand(2);
    case Expression::Kind::ArrayElement: {
      Arguments all = 0;
      for (std::uint32_t i = 0; i < e.count; ++i)
        all |= ofVariable[e.variable + i];
      return all;
    }
    case Expression::Kind::Opaque: return escaped;
    default: return 0;
    }
  }

  void add(Arguments &to, Arguments more) {
    changed |= (more & ~to) != 0;
    to |= more;
  }

  void flow() {
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements) {
        forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId) {
          add(ofVariable[variable], ofExpression[value]);
        });
        if (auto *instruction = std::get_if<Instruction>(&statement.action))
          flow(*instruction);
      }
  }

  void flow(const Instruction &instruction) {
    for (VariableId result : instruction.results)
      add(ofVariable[result], escaped);
    const bool known = facts.instructions.count(instruction.name) != 0;
    const bool keeps =
        std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const Operand &operand) {
          return operand.kind != Operand::Kind::Scalar;
        }); // a number may go into what the others name
    for (const Operand &operand : instruction.operands) {
      if (operand.value != kNone && (!known || (keeps && operand.kind == Operand::Kind::Scalar)))
        escape(ofExpression[operand.value]);
      if (!known && operand.kind == Operand::Kind::Tensor)
        escape(ofVariable[kernel.tensors[operand.index].pointer]);
    }
  }

  void escape(Arguments arguments) { add(escaped, arguments); }

  /// True for a value that was computed and then went where it is not followed.
  bool isLost(ExpressionId id) const {
    return facts.lost.count(id) || (!isFollowed[id] && !isOperand[id] && !facts.dropped.count(id));
  }

  void escapeLost() {
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      if (isLost(id))
        escape(ofExpression[id]);
    for (VariableId variable : facts.exposed)
      escape(ofVariable[variable]);
  }

  /// What is computed from two addresses out of everybody's sight may compare them.
  void relateLost() {
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id) {
      const Expression &e = kernel.expressions[id];
      if (isFollowed[id] || e.kind != Expression::Kind::Binary || e.sense == Expression::Sense::NullTest)
        continue;
      const Arguments left = ofExpression[e.operands[0]], right = ofExpression[e.operands[1]];
      relate(left, right);
      if (isComparison(e.op) && (left == 0) != (right == 0))
        relate(left | right, ~Arguments{0});
    }
  }

  void relate(Arguments some, Arguments others) {
    for (std::uint32_t one : pointers)
      for (std::uint32_t other : pointers)
        if (one != other && (some & bitOf(one)) && (others & bitOf(other)))
          kernel.related.insert({std::min(one, other), std::max(one, other)});
  }

  Kernel &kernel;
  const EscapeFacts &facts;
  std::set<std::uint32_t> pointers;  // numbers of the arguments that are such
  std::vector<Arguments> ofVariable; // whose addresses may be in it
  std::vector<Arguments> ofExpression;
  std::vector<bool> isFollowed; // part of a statement
  std::vector<bool> isOperand;  // of any expression
  Arguments escaped = 0;
  bool changed = false;
};

} // namespace

void findEscapedAddresses(Kernel &kernel, const EscapeFacts &facts) { EscapeFinder(kernel, facts).find(); }

} // namespace ptosync
