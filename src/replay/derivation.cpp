#include "replay/derivation.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kMostBlocks = 1 << 16;
// Of 64 bits: what arguments are, and no product with a stride overflows by it.
constexpr std::int64_t kLargestArgument = std::int64_t{1} << 40;

bool same(const Derived &one, const Derived &other) {
  return one.node == other.node && (one.node != 0 || one.bits == other.bits);
}

std::int64_t unaryOf(Operator op, IntegerType type, std::int64_t value) {
  if (op == Operator::LogicalNot)
    return value == 0;
  return wrapTo(type, op == Operator::BitNot ? ~value : wrappedDifference(0, value));
}

} // namespace

Range rangeOf(const Source &source) {
  if (source.kind != Source::Kind::Query)
    return within(rangeOf(source.type), -kLargestArgument, kLargestArgument);
  if (source.query == "get_block_num")
    return {1, kMostBlocks};
  if (source.query == "get_block_idx" || source.query == "get_coreid")
    return {0, kMostBlocks - 1};
  return source.query == "get_subblockid" ? Range{0, 1} : Range{1, 2};
}

Derived Derivation::add(DerivationNode node) {
  nodes.push_back(std::move(node));
  return {nodes.back().bits, static_cast<std::uint32_t>(nodes.size() - 1)};
}

Derived Derivation::source(const Source &source, std::int64_t value) {
  auto [found, fresh] = known.try_emplace({source.kind, source.number, source.query}, 0);
  if (fresh) {
    DerivationNode node;
    node.type = source.type;
    node.source = static_cast<std::uint32_t>(all.size());
    node.bits = value;
    all.push_back(source);
    bits.push_back(value);
    found->second = add(std::move(node)).node;
  }
  return {value, found->second};
}

Derived Derivation::unary(Operator op, IntegerType type, const Derived &value) {
  const std::int64_t bits = unaryOf(op, type, value.bits);
  if (value.node == 0)
    return {bits, 0};
  DerivationNode node;
  node.kind = DerivationNode::Kind::Unary;
  node.op = op;
  node.operands = node.type = type;
  node.first = value;
  node.bits = bits;
  return add(std::move(node));
}

Derived Derivation::binary(Operator op, IntegerType operands, IntegerType type, const Derived &left,
                           const Derived &right, std::int64_t undefined) {
  std::int64_t bits = 0;
  if (!applyOperator(op, operands, left.bits, right.bits, bits))
    bits = undefined;
  if (left.node == 0 && right.node == 0)
    return {bits, 0};
  DerivationNode node;
  node.kind = DerivationNode::Kind::Binary;
  node.op = op;
  node.operands = operands;
  node.type = type;
  node.first = left;
  node.second = right;
  node.bits = bits;
  node.undefined = undefined;
  return add(std::move(node));
}

Derived Derivation::converted(const Derived &value, IntegerType from, IntegerType to) {
  const std::int64_t bits = wrapTo(to, value.bits);
  if (value.node == 0 || (from == to && bits == value.bits))
    return {bits, value.node};
  DerivationNode node;
  node.kind = DerivationNode::Kind::Cast;
  node.operands = from;
  node.type = to;
  node.first = value;
  node.bits = bits;
  return add(std::move(node));
}

Derived Derivation::select(const Derived &condition, const Derived &whenTrue, const Derived &whenFalse) {
  const Derived &taken = condition.bits ? whenTrue : whenFalse;
  if (condition.node == 0)
    return taken;
  DerivationNode node;
  node.kind = DerivationNode::Kind::Select;
  node.first = condition;
  node.second = whenTrue;
  node.third = whenFalse;
  node.bits = taken.bits;
  return add(std::move(node));
}

Cone::Cone(const Derivation &derivation, const std::vector<Derived> &numbers) : derivation(derivation) {
  std::vector<std::uint32_t> open;
  for (const Derived &number : numbers)
    open.push_back(number.node);
  while (!open.empty() && bits.size() <= kLargest) {
    const std::uint32_t id = open.back();
    open.pop_back();
    if (id == 0 || !bits.emplace(id, derivation[id].bits).second)
      continue;
    for (const Derived &operand : {derivation[id].first, derivation[id].second, derivation[id].third})
      open.push_back(operand.node);
  }
  if (open.empty())
    for (const auto &[id, value] : bits)
      nodes.push_back(id);
}

std::vector<std::uint32_t> Cone::sources() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t id : nodes)
    if (derivation[id].kind == DerivationNode::Kind::Source)
      found.push_back(derivation[id].source);
  return found;
}

void Cone::evaluate(const SourceChanges &changes) {
  for (std::uint32_t id : nodes)
    bits[id] = compute(derivation[id], changes);
}

std::int64_t Cone::compute(const DerivationNode &node, const SourceChanges &changes) const {
  switch (node.kind) {
  case DerivationNode::Kind::Source: {
    auto change = changes.find(node.source);
    return change == changes.end() ? node.bits : wrapTo(node.type, change->second);
  }
  case DerivationNode::Kind::Unary: return unaryOf(node.op, node.type, bitsOf(node.first));
  case DerivationNode::Kind::Binary: {
    std::int64_t result = 0;
    return applyOperator(node.op, node.operands, bitsOf(node.first), bitsOf(node.second), result) ? result
                                                                                                  : node.undefined;
  }
  case DerivationNode::Kind::Cast: return wrapTo(node.type, bitsOf(node.first));
  case DerivationNode::Kind::Select: return bitsOf(bitsOf(node.first) ? node.second : node.third);
  }
  return 0;
}

Range Cone::boundsOf(const Derived &number) const {
  NodeBounds bounds;
  for (std::uint32_t id : nodes)
    bounds.emplace(id, replay::boundsOf(derivation, id, bounds));
  return replay::boundsOf(number, bounds);
}

Range boundsOf(const Derived &number, const NodeBounds &bounds) {
  auto found = bounds.find(number.node);
  return number.node == 0 ? Range{number.bits, number.bits} : found == bounds.end() ? Range{} : found->second;
}

void LinearForm::add(const Derivation &derivation, const Derived &number, std::int64_t times) {
  if (number.node == 0) {
    constant = wrappedSum(constant, times, number.bits);
    return;
  }
  const DerivationNode &node = derivation[number.node];
  const bool wide = node.type.bits == 64 && node.operands.bits == 64;
  if (wide && node.kind == DerivationNode::Kind::Cast)
    return add(derivation, node.first, times);
  if (wide && node.kind == DerivationNode::Kind::Binary) {
    if (node.op == Operator::Add || node.op == Operator::Subtract) {
      add(derivation, node.first, times);
      return add(derivation, node.second, node.op == Operator::Add ? times : wrappedDifference(0, times));
    }
    if (node.op == Operator::Multiply && (node.first.node == 0 || node.second.node == 0)) {
      const bool first = node.first.node == 0;
      return add(derivation, first ? node.second : node.first,
                 wrappedProduct(times, first ? node.first.bits : node.second.bits));
    }
  }
  std::int64_t &factor = terms[number.node];
  factor = wrappedSum(factor, times);
  if (factor == 0)
    terms.erase(number.node);
}

namespace {

/// `a < b ? b : a` is the larger one, `a < b ? a : b` the smaller.
Range chosenRange(const Derivation &derivation, const DerivationNode &node, const Range &whenTrue,
                  const Range &whenFalse) {
  const Range either = spanOf(whenTrue, whenFalse);
  const DerivationNode &test = derivation[node.first.node];
  if (test.kind != DerivationNode::Kind::Binary || !isComparison(test.op) || test.op == Operator::Equal ||
      test.op == Operator::NotEqual || (!test.operands.isSigned && test.operands.bits == 64))
    return either;
  const bool swapped = test.op == Operator::Greater || test.op == Operator::GreaterEqual;
  const Derived &below = swapped ? test.second : test.first, &above = swapped ? test.first : test.second;
  if (same(below, node.third) && same(above, node.second))
    return within(either, std::max(whenTrue.low, whenFalse.low), either.high);
  if (same(below, node.second) && same(above, node.third))
    return within(either, either.low, std::min(whenTrue.high, whenFalse.high));
  return either;
}

Range binaryBounds(const Derivation &derivation, const DerivationNode &node, const Range &left, const Range &right) {
  const bool equality = node.op == Operator::Equal || node.op == Operator::NotEqual;
  if (node.operands.bits == 64 && (equality || node.op == Operator::Add || node.op == Operator::Subtract)) {
    LinearForm sum;
    sum.add(derivation, node.first, 1);
    sum.add(derivation, node.second, node.op == Operator::Add ? 1 : -1);
    const bool holds = (sum.constant == 0) == (node.op == Operator::Equal);
    if (sum.terms.empty())
      return equality ? Range{holds, holds} : Range{sum.constant, sum.constant};
  }
  if (!isComparison(node.op))
    return rangeOf(node.op, node.operands, left, right, node.type);
  const std::optional<bool> sure = compared(node.op, node.operands, left, right);
  return sure ? Range{*sure, *sure} : Range{0, 1};
}

} // namespace

Range boundsOf(const Derivation &derivation, std::uint32_t id, const NodeBounds &bounds) {
  const DerivationNode &node = derivation[id];
  const Range first = boundsOf(node.first, bounds);
  switch (node.kind) {
  case DerivationNode::Kind::Source: return rangeOf(derivation.sources()[node.source]);
  case DerivationNode::Kind::Unary: {
    if (node.op == Operator::LogicalNot)
      return {0, 1};
    const std::int64_t from = node.op == Operator::Negate ? 0 : wrapTo(node.type, -1); // ~x is -1 - x
    return rangeOf(Operator::Subtract, node.type, {from, from}, first, node.type);
  }
  case DerivationNode::Kind::Binary: return binaryBounds(derivation, node, first, boundsOf(node.second, bounds));
  case DerivationNode::Kind::Cast:
    if (node.type.bits == 1)
      return first.low > 0 || first.high < 0 ? Range{1, 1} : Range{0, first.single() ? 0 : 1};
    return converted(first, node.type);
  case DerivationNode::Kind::Select: {
    const Range whenTrue = boundsOf(node.second, bounds), whenFalse = boundsOf(node.third, bounds);
    if (first.low > 0 || first.high < 0)
      return whenTrue;
    return first.single() ? whenFalse : chosenRange(derivation, node, whenTrue, whenFalse);
  }
  }
  return {};
}

} // namespace ptosync::replay
