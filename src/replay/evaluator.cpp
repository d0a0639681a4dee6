#include "replay/evaluator.h"

#include <algorithm>
#include <bit>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kArgumentStride = std::int64_t{1} << 40; // between the memories of two arguments

/// Largest divisor or mask whose remainders count as few enough to try in turn.
constexpr std::int64_t kFewValues = 64;

Origin larger(Origin a, Origin b) { return std::max(a, b); }

// What a base is a hash of.
constexpr std::uint64_t kDrawn = 1, kNarrowed = 2, kComputed = 3;

bool isUnrelated(const Value &value) { return value.origin == Origin::Unknown && value.base == 0; }

void relate(Value &value, std::uint64_t base, std::int64_t offset) {
  value.base = base;
  value.offset = base == 0 ? 0 : offset;
  value.congruence = {base, value.offset, static_cast<std::uint8_t>(base == 0 ? 0 : 64)};
  value.residue = {};
}

/// Of a known number: it is a sum of nothing and itself.
Congruence congruenceOf(const Value &value) {
  return value.origin == Origin::Unknown ? value.congruence : Congruence{0, value.bits, 64};
}
Congruence residueOf(const Value &value) {
  return value.origin == Origin::Unknown ? value.residue : Congruence{0, value.bits, 64};
}

Congruence sumOf(const Congruence &a, std::uint64_t sign, const Congruence &b) {
  return {a.root + sign * b.root, wrappedSum(a.offset, static_cast<std::int64_t>(sign), b.offset),
          std::min(a.bits, b.bits)};
}

/// False for a multiple of so high a power of two that too little of the hash is left.
bool tellsApart(std::uint64_t base) { return std::countr_zero(base) <= 24; }

/// A factor of 2^n says n bits more.
Congruence productOf(const Congruence &of, std::int64_t factor) {
  const int zeros = factor == 0 ? 64 : std::countr_zero(static_cast<std::uint64_t>(factor));
  if (of.root != 0 && !tellsApart(of.root * static_cast<std::uint64_t>(factor)))
    return {};
  return {of.root * static_cast<std::uint64_t>(factor), wrappedProduct(of.offset, factor),
          static_cast<std::uint8_t>(std::min(64, of.bits + zeros))};
}

/// What is left of both in a type, whose numbers are told apart by so many bits. Nothing of a value of which nothing is
/// known.
void keepCongruences(Value &value, Congruence congruence, Congruence residue, IntegerType type) {
  if (value.base == 0 || type.bits < 8)
    return;
  congruence.bits = std::min(congruence.bits, type.bits);
  residue.bits = std::min(residue.bits, type.bits);
  if (congruence.root != 0 && congruence.bits != 0)
    value.congruence = congruence;
  value.residue = residue;
}

/// How far the value is from what its base stands for.
std::int64_t distanceOf(const Value &value) { return value.origin == Origin::Unknown ? value.offset : value.bits; }

/// Equal for values that are equal whatever memory holds.
std::uint64_t keyOf(const Value &value) { return mix(value.base, static_cast<std::uint64_t>(distanceOf(value))); }

std::uint64_t typeKey(IntegerType type) { return std::uint64_t{type.bits} * 2 + type.isSigned; }

/// Of the operator `e` and its first operand.
std::uint64_t computedKey(const Expression &e, std::uint64_t operand) {
  return mix(mix(kComputed, static_cast<std::uint64_t>(e.op) * 256 + typeKey(e.type)), operand);
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

void Evaluator::startDraws(std::uint64_t key, std::uint64_t instance) {
  drawKey = key;
  drawInstance = instance;
  drawCount = 0;
}

Value Evaluator::unknown(IntegerType type) {
  Value value{wrapTo(type, contents.at(mix(drawKey, drawCount))), Origin::Unknown, {}};
  relate(value, mix(mix(kDrawn, drawInstance), drawCount++), 0);
  return value;
}

/// The value in `type`. What is narrower than 64 bits keeps no offset: sums wrap there.
Value Evaluator::convert(Value value, IntegerType type) const {
  value.bits = wrapTo(type, value.bits);
  if (type.bits == 64)
    return value;
  value.region = {};
  if (value.origin != Origin::Unknown)
    return value;
  const Congruence congruence = value.congruence, residue = value.residue;
  relate(value, type.bits == 0 || isUnrelated(value) ? 0 : mix(mix(kNarrowed, typeKey(type)), keyOf(value)), 0);
  keepCongruences(value, congruence, residue, type);
  return value;
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
  case Expression::Kind::Select:
    return evaluate(e.operands[0]).bits ? evaluate(e.operands[1]) : evaluate(e.operands[2]);
  case Expression::Kind::ArrayElement: return element(e);
  case Expression::Kind::Parameter: return parameter(e);
  case Expression::Kind::Query: return query(e);
  case Expression::Kind::Opaque: return unknown(e.type);
  }
  return unknown(e.type);
}

Value Evaluator::cast(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  if (e.type.bits == 0) {
    value.origin = Origin::Unknown;
  } else if (e.type.bits == 1 && value.origin == Origin::Unknown) {
    value.origin = Origin::Sampled;
    relate(value, 0, 0);
  }
  return convert(value, e.type);
}

Value Evaluator::unary(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  value.region = {};
  bool unrelated = isUnrelated(value);
  std::uint64_t made = computedKey(e, keyOf(value));
  switch (e.op) {
  case Operator::Negate:
    value.bits = wrapTo(e.type, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value.bits)));
    break;
  case Operator::BitNot: value.bits = wrapTo(e.type, ~value.bits); break;
  default: value.bits = value.bits == 0; value.origin = std::min(value.origin, Origin::Sampled);
  }
  relate(value, value.origin == Origin::Unknown && !unrelated ? made : 0, 0);
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
  if (result.origin == Origin::Unknown)
    relateResult(result, e, left, right);
  return result;
}

/// Sums, and products with a factor that does not come from memory, keep distances in 64 bits, and in fewer up to the
/// wraps; anything else is a base of its own, the same one whenever it is computed from the same values.
void Evaluator::relateResult(Value &result, const Expression &e, const Value &left, const Value &right) const {
  const bool wide = e.type.bits == 64;
  const std::uint64_t sign = e.op == Operator::Subtract ? ~std::uint64_t{0} : 1;
  if (isUnrelated(left) || isUnrelated(right))
    return relate(result, 0, 0);
  const auto relateToItself = [&] { relate(result, mix(computedKey(e, keyOf(left)), keyOf(right)), 0); };
  // The base of a known number is 0, and a base may be any number: sums of bases say which unknowns are in it how
  // often.
  if (e.op == Operator::Add || e.op == Operator::Subtract) {
    if (wide)
      relate(result, left.base + sign * right.base,
             wrappedSum(distanceOf(left), static_cast<std::int64_t>(sign), distanceOf(right)));
    else
      relateToItself();
    keepCongruences(result, sumOf(congruenceOf(left), sign, congruenceOf(right)),
                    sumOf(residueOf(left), sign, residueOf(right)), e.type);
  } else if (e.op == Operator::Multiply && (left.base == 0 || right.base == 0)) {
    const std::int64_t factor = left.base == 0 ? left.bits : right.bits;
    const Value &other = left.base == 0 ? right : left;
    if (const std::uint64_t base = other.base * static_cast<std::uint64_t>(factor); wide && tellsApart(base))
      relate(result, base, wrappedProduct(other.offset, factor));
    else
      relateToItself();
    keepCongruences(result, productOf(other.congruence, factor), productOf(other.residue, factor), e.type);
  } else {
    relateToItself();
  }
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
