#include "replay/evaluator.h"

#include "replay/relation.h"
#include "replay/value_choices.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kArgumentStride = std::int64_t{1} << 40; // between the memories of two arguments

Origin larger(Origin a, Origin b) { return std::max(a, b); }

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

void Evaluator::startDraws(std::uint64_t key, std::uint64_t instance) {
  drawKey = key;
  drawInstance = instance;
  drawCount = 0;
}

Value Evaluator::unknown(IntegerType type) {
  Value value{wrapTo(type, contents.at(mix(drawKey, drawCount))), Origin::Unknown, {}};
  value.range = rangeOf(type);
  relateToItself(value, drawnBase(drawInstance, drawCount++));
  return type.bits == 1 ? fewOf(value) : value;
}

/// The value in `type`. What does not fit keeps no offset: it wraps.
Value Evaluator::convert(Value value, IntegerType type) {
  value.bits = wrapTo(type, value.bits);
  if (type.bits == 64)
    return value;
  value.region = {};
  if (value.choices)
    return sampled(value, changed(*value.choices, [&](std::int64_t one) { return wrapTo(type, one); }));
  if (value.origin != Origin::Unknown)
    return value;
  if (fits(value.range, type))
    return value;
  narrow(value, type);
  return settled(value, type);
}

void Evaluator::assign(VariableId id, Value value) { variables[id] = convert(value, kernel.variables[id].type); }

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
  case Expression::Kind::Cast: return cast(e);
  case Expression::Kind::Select: return select(e);
  case Expression::Kind::ArrayElement: return element(e);
  case Expression::Kind::Parameter: return parameter(e);
  case Expression::Kind::Query: return query(e);
  case Expression::Kind::Opaque: return unknown(e.type);
  }
  return unknown(e.type);
}

Value Evaluator::cast(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  if (e.type.bits == 0) { // no integer any more
    value = {value.bits, Origin::Unknown, {}};
  } else if (e.type.bits == 1 && value.origin == Origin::Unknown) {
    return sampled({value.bits != 0, Origin::Sampled, {}}, nonzero(value));
  }
  return convert(value, e.type);
}

Value Evaluator::unary(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  auto compute = [&](std::int64_t bits) -> std::int64_t {
    switch (e.op) {
    case Operator::Negate: return wrapTo(e.type, wrappedDifference(0, bits));
    case Operator::BitNot: return wrapTo(e.type, ~bits);
    default: return bits == 0;
    }
  };
  value.region = {};
  if (value.choices)
    return sampled({compute(value.bits), Origin::Sampled, {}}, changed(*value.choices, compute));
  if (value.origin == Origin::Unknown && e.op != Operator::Negate && e.op != Operator::BitNot)
    return sampled({compute(value.bits), Origin::Sampled, {}}, changed(nonzero(value), compute));
  if (value.origin < Origin::Sampled) {
    value.bits = compute(value.bits);
    return value;
  }
  // What is left of 0, or of the number with all bits.
  const Value from = described({e.op == Operator::Negate ? 0 : wrapTo(e.type, -1), Origin::Fixed, {}});
  Value result{compute(value.bits), Origin::Unknown, {}};
  result.range = rangeOf(Operator::Subtract, e.type, from.range, value.range, e.type);
  relateResult(result, Operator::Subtract, e.type, from, value);
  return result;
}

Value Evaluator::binary(const Expression &e) {
  Value left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
  const IntegerType operands = kernel.expressions[e.operands[0]].type;
  Value result;
  if (!applyOperator(e.op, operands, left.bits, right.bits, result.bits))
    return unknown(e.type);
  result.origin = larger(left.origin, right.origin);
  if (e.type.bits == 64 && (e.op == Operator::Add || e.op == Operator::Subtract)) {
    if (!right.region.known())
      result.region = left.region;
    else if (!left.region.known() && e.op == Operator::Add)
      result.region = right.region;
  }
  if (result.origin < Origin::Sampled)
    return result;
  if (std::optional<Choices> choices = binaryChoices(e.op, operands, left, right))
    return sampled(result, std::move(*choices));
  left = described(left);
  right = described(right);
  result.origin = Origin::Unknown;
  result.range = rangeOf(e.op, operands, left.range, right.range, e.type);
  relateResult(result, e.op, e.type, left, right);
  if (result.base() == 0 && left.base() != 0 && right.base() != 0) // x - x
    return {result.bits, Origin::Argument, result.region};
  return fewOf(settled(result, e.type));
}

/// Of pointers, the one that the contents lead to.
Value Evaluator::select(const Expression &e) {
  const Value condition = evaluate(e.operands[0]);
  if (condition.origin < Origin::Sampled)
    return evaluate(e.operands[condition.bits ? 1 : 2]);
  const Value whenTrue = evaluate(e.operands[1]), whenFalse = evaluate(e.operands[2]);
  const Value &taken = condition.bits ? whenTrue : whenFalse;
  const std::optional<Choices> one = choicesOf(whenTrue), other = choicesOf(whenFalse);
  if (one && other && whenTrue.region == whenFalse.region)
    if (std::optional<Choices> choices = picked(nonzero(condition), *one, *other))
      return sampled(taken, std::move(*choices));
  if (whenTrue.region.known() || whenFalse.region.known()) {
    decide(condition);
    return taken;
  }
  const Value first = described(whenTrue), second = described(whenFalse);
  Value either = eitherOf(condition, first, second);
  either.range = chosenRange(e, either.range, first.range, second.range);
  return fewOf(either);
}

/// `a < b ? b : a` is the larger one, `a < b ? a : b` the smaller.
Range Evaluator::chosenRange(const Expression &e, const Range &either, const Range &whenTrue,
                             const Range &whenFalse) const {
  const Expression &test = kernel.expressions[e.operands[0]];
  if (test.kind != Expression::Kind::Binary || !isComparison(test.op) || test.op == Operator::Equal ||
      test.op == Operator::NotEqual)
    return either;
  const IntegerType type = kernel.expressions[test.operands[0]].type;
  const bool asBounded = type.isSigned || type.bits < 64 || (whenTrue.low >= 0 && whenFalse.low >= 0);
  const bool swapped = test.op == Operator::Greater || test.op == Operator::GreaterEqual;
  const ExpressionId below = test.operands[swapped ? 1 : 0], above = test.operands[swapped ? 0 : 1];
  if (!asBounded || type != e.type)
    return either;
  if (isSame(below, e.operands[2]) && isSame(above, e.operands[1]))
    return within(either, std::max(whenTrue.low, whenFalse.low), either.high);
  if (isSame(below, e.operands[1]) && isSame(above, e.operands[2]))
    return within(either, either.low, std::min(whenTrue.high, whenFalse.high));
  return either;
}

/// True if the two are written alike and name one value.
bool Evaluator::isSame(ExpressionId one, ExpressionId other) const {
  const Expression &a = kernel.expressions[one], &b = kernel.expressions[other];
  if (a.kind != b.kind || a.type != b.type)
    return false;
  switch (a.kind) {
  case Expression::Kind::Constant:
  case Expression::Kind::Parameter: return a.constant == b.constant;
  case Expression::Kind::Variable: return a.variable == b.variable;
  case Expression::Kind::Cast: return isSame(a.operands[0], b.operands[0]);
  default: return false;
  }
}

Value Evaluator::sampled(const Value &value, Choices choices) {
  if (std::all_of(choices.values.begin(), choices.values.end(),
                  [&](std::int64_t one) { return one == choices.values.front(); }))
    return {value.bits, Origin::Argument, value.region};
  Value result{value.bits, Origin::Sampled, value.region};
  result.choices = &*knownChoices.insert(std::move(choices)).first;
  return result;
}

/// All bits of a number may be left: 256 times any of 8 bits is 0.
Value Evaluator::settled(const Value &value, IntegerType type) {
  return type.bits >= 8 && value.residue.bits >= type.bits ? Value{value.bits, Origin::Argument, value.region} : value;
}

/// A number between close bounds is one of those in between.
Value Evaluator::fewOf(const Value &value) {
  std::int64_t apart = 0;
  if (value.sums.empty() || __builtin_sub_overflow(value.range.high, value.range.low, &apart) ||
      apart / value.range.step >= kFewNumbers)
    return value;
  Choices choices;
  choices.root = boundedBase(value);
  for (std::int64_t number = 0; number <= apart / value.range.step; ++number)
    choices.values.push_back(value.range.low + number * value.range.step);
  return sampled(value, std::move(choices));
}

void Evaluator::decide(const Value &value) {
  if (value.origin < Origin::Sampled)
    return;
  byMemory = true;
  if (value.choices)
    decisions.roots.insert(value.choices->root);
  for (const Congruence &sum : value.sums)
    decisions.roots.insert(sum.root);
  decisions.roots.erase(0);
}

Value Evaluator::element(const Expression &e) {
  Value index = evaluate(e.operands[0]);
  if (index.bits < 0 || index.bits >= e.count)
    return unknown(e.type);
  Value value = variables[e.variable + static_cast<VariableId>(index.bits)];
  if (index.origin < Origin::Sampled)
    return value;
  if (std::optional<Choices> choices = elementChoices(e, index))
    return sampled(value, std::move(*choices));
  decide(index);
  return value;
}

/// Of an array of known values. An index outside is undefined in C++: it may be any.
std::optional<Choices> Evaluator::elementChoices(const Expression &e, const Value &index) const {
  std::vector<std::int64_t> values;
  for (std::uint32_t i = 0; i < e.count; ++i) {
    const Value &value = variables[e.variable + i];
    if (value.origin >= Origin::Sampled || !(value.region == variables[e.variable].region))
      return std::nullopt;
    values.push_back(value.bits);
  }
  const auto count = static_cast<std::int64_t>(e.count);
  const std::optional<Choices> which = index.choices ? *index.choices : residuesOf(index, count, false);
  if (!which)
    return std::nullopt;
  return changed(*which, [&](std::int64_t at) {
    return values[static_cast<std::size_t>(at < 0 || at >= count ? index.bits : at)];
  });
}

Value Evaluator::parameter(const Expression &e) const {
  auto number = static_cast<std::uint32_t>(e.constant);
  if (facts.pointerArguments.count(number))
    return {(std::int64_t{number} + 1) * kArgumentStride, Origin::Fixed, Region::argument(number)};
  auto given = inputs.arguments.find(number);
  Value value{wrapTo(e.type, given == inputs.arguments.end() ? 1 : given->second), Origin::Argument, {}};
  if (inputs.open.count(number)) {
    value.origin = Origin::Unknown;
    value.range = rangeOf(e.type);
    relateToItself(value, argumentBase(number));
  }
  return value;
}

Value Evaluator::query(const Expression &e) const {
  auto given = inputs.queries.find(e.name);
  return {wrapTo(e.type, given == inputs.queries.end() ? defaultQuery(e.name) : given->second), Origin::Argument, {}};
}

} // namespace ptosync::replay
