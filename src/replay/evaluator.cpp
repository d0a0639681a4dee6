#include "replay/evaluator.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kArgumentStride = std::int64_t{1} << 40; // between the memories of two arguments

/// Largest divisor or mask whose remainders count as few enough to try in turn.
constexpr std::int64_t kFewValues = 64;

Origin larger(Origin a, Origin b) { return std::max(a, b); }

bool isComparison(Operator op) {
  return op == Operator::Equal || op == Operator::NotEqual || op == Operator::Less || op == Operator::LessEqual ||
         op == Operator::Greater || op == Operator::GreaterEqual || op == Operator::LogicalNot;
}

/// Finds the arguments whose value becomes an address, through copies and pointer arithmetic.
class PointerFlow {
public:
  PointerFlow(const Kernel &kernel, std::set<std::uint32_t> &found)
      : kernel(kernel), found(found), isAddress(kernel.variables.size(), false) {
    for (const Tensor &tensor : kernel.tensors)
      mark(tensor.pointer);
    for (const Fifo &fifo : kernel.fifos)
      mark(fifo.memory);
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        if (auto *instruction = std::get_if<Instruction>(&statement.action))
          for (const Operand &operand : instruction->operands)
            if (operand.kind == Operand::Kind::Pointer)
              follow(operand.value);
    while (changed) {
      changed = false;
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          if (auto *assign = std::get_if<Assign>(&statement.action); assign && isAddress[assign->variable])
            follow(assign->value);
    }
  }

private:
  void mark(VariableId variable) {
    if (variable == kNone || isAddress[variable])
      return;
    isAddress[variable] = true;
    changed = true;
  }
  /// Sums of byte addresses and offsets: the offset is a cast or a product and is not followed.
  void follow(ExpressionId id) {
    if (id == kNone)
      return;
    const Expression &e = kernel.expressions[id];
    if (!(e.type == kAddress))
      return;
    if (e.kind == Expression::Kind::Parameter)
      found.insert(static_cast<std::uint32_t>(e.constant));
    else if (e.kind == Expression::Kind::Variable)
      mark(e.variable);
    else if (e.kind == Expression::Kind::Binary && (e.op == Operator::Add || e.op == Operator::Subtract))
      for (int i = 0; i < 2; ++i)
        follow(e.operands[i]);
    else if (e.kind == Expression::Kind::Select)
      for (int i = 1; i < 3; ++i)
        follow(e.operands[i]);
  }

  const Kernel &kernel;
  std::set<std::uint32_t> &found;
  std::vector<bool> isAddress;
  bool changed = false;
};

} // namespace

ScalarFacts::ScalarFacts(const Kernel &kernel, const Machine &machine) : regions(kernel.variables.size()) {
  PointerFlow(kernel, pointerArguments);
  for (const Tile &tile : kernel.tiles)
    if (std::optional<std::size_t> space = machine.spaceOfTile(tile.location))
      regions[tile.address] = Region::space(*space);
}

Evaluator::Evaluator(const Kernel &kernel, const ScalarFacts &facts, const Inputs &inputs, MemoryContents contents)
    : kernel(kernel), facts(facts), inputs(inputs), contents(std::move(contents)),
      variables(kernel.variables.size(), Value{0, Origin::Unknown, {}}) {}

void Evaluator::startDraws(std::uint64_t key) {
  drawKey = key;
  drawCount = 0;
}

Value Evaluator::unknown(IntegerType type) {
  return {wrapTo(type, contents.at(mix(drawKey, drawCount++))), Origin::Unknown, {}};
}

void Evaluator::assign(VariableId id, Value value) {
  IntegerType type = kernel.variables[id].type;
  value.bits = wrapTo(type, value.bits);
  if (type.bits != 64)
    value.region = {};
  variables[id] = value;
}

Value Evaluator::evaluate(ExpressionId id) {
  if (id == kNone)
    return unknown({});
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Constant: return {e.constant, Origin::Fixed, {}};
  case Expression::Kind::Variable: {
    Value value = variables[e.variable];
    if (facts.regions[e.variable].known())
      value.region = facts.regions[e.variable];
    return value;
  }
  case Expression::Kind::Unary: return unary(e);
  case Expression::Kind::Binary: return binary(e);
  case Expression::Kind::Cast: {
    Value value = evaluate(e.operands[0]);
    if (e.type.bits == 0)
      value.origin = Origin::Unknown;
    else if (e.type.bits == 1)
      value.origin = std::min(value.origin, Origin::Sampled);
    value.bits = wrapTo(e.type, value.bits);
    if (e.type.bits != 64)
      value.region = {};
    return value;
  }
  case Expression::Kind::Select:
    return evaluate(e.operands[0]).bits ? evaluate(e.operands[1]) : evaluate(e.operands[2]);
  case Expression::Kind::ArrayElement: return element(e);
  case Expression::Kind::Parameter: return parameter(e);
  case Expression::Kind::Query: return query(e);
  case Expression::Kind::Opaque: return unknown(e.type);
  }
  return unknown(e.type);
}

Value Evaluator::unary(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  value.region = {};
  switch (e.op) {
  case Operator::Negate:
    value.bits = wrapTo(e.type, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value.bits)));
    break;
  case Operator::BitNot: value.bits = wrapTo(e.type, ~value.bits); break;
  default: value.bits = value.bits == 0; value.origin = std::min(value.origin, Origin::Sampled);
  }
  return value;
}

Value Evaluator::binary(const Expression &e) {
  Value left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
  Value result;
  if (!applyOperator(e.op, kernel.expressions[e.operands[0]].type, left.bits, right.bits, result.bits))
    return unknown(e.type);
  result.origin = larger(left.origin, right.origin);
  bool fewRemainders = (e.op == Operator::Remainder || e.op == Operator::BitAnd) && right.origin == Origin::Fixed &&
                       right.bits >= 0 && right.bits <= kFewValues;
  if (isComparison(e.op) || fewRemainders)
    result.origin = std::min(result.origin, Origin::Sampled);
  if (e.type.bits == 64 && (e.op == Operator::Add || e.op == Operator::Subtract)) {
    if (!right.region.known())
      result.region = left.region;
    else if (!left.region.known() && e.op == Operator::Add)
      result.region = right.region;
  }
  return result;
}

Value Evaluator::element(const Expression &e) {
  Value index = evaluate(e.operands[0]);
  if (index.bits < 0 || index.bits >= e.count)
    return unknown(e.type);
  Value value = variables[e.variable + static_cast<VariableId>(index.bits)];
  if (index.origin == Origin::Unknown)
    value.origin = larger(value.origin, Origin::Sampled);
  return value;
}

Value Evaluator::parameter(const Expression &e) const {
  auto number = static_cast<std::uint32_t>(e.constant);
  if (facts.pointerArguments.count(number))
    return {(std::int64_t{number} + 1) * kArgumentStride, Origin::Fixed, Region::argument(number)};
  auto given = inputs.arguments.find(number);
  return {wrapTo(e.type, given == inputs.arguments.end() ? 1 : given->second), Origin::Argument, {}};
}

Value Evaluator::query(const Expression &e) const {
  auto given = inputs.queries.find(e.name);
  return {wrapTo(e.type, given == inputs.queries.end() ? defaultQuery(e.name) : given->second), Origin::Argument, {}};
}

} // namespace ptosync::replay
