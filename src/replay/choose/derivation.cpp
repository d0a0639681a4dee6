#include "replay/choose/derivation.h"

#include <algorithm>
#include <set>
#include <tuple>

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
  nodes.push_back(node);
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
    found->second = add(node).node;
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
  return add(node);
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
  return add(node);
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
  return add(node);
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
  return add(node);
}

Cone::Cone(const Derivation &derivation, const std::vector<Derived> &numbers) : derivation(derivation) {
  std::vector<std::uint32_t> open;
  open.reserve(numbers.size());
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

namespace {

using Kind = DerivationNode::Kind;

constexpr std::size_t kMostOneStep = 48; // proposals of one way back
constexpr std::size_t kMostHalfWay = 12; // that do not do yet, and are gone on from
constexpr int kDeepestWay = 200;
constexpr std::size_t kMostScanned = 8; // sources that numbers are tried for one after another

std::int64_t roundedDown(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor != 0 && (value % divisor < 0) != (divisor < 0));
}

class Proposer {
public:
  Proposer(const Derivation &derivation, const Derived &condition, bool wanted)
      : derivation(derivation), condition(condition), wanted(wanted), cone(derivation, {condition}) {}

  std::vector<SourceChanges> find(const std::vector<std::int64_t> &numbers, Preferred preferred, std::size_t most) {
    if (cone.empty())
      return {};
    std::vector<SourceChanges> halfWay;
    goBack({}, halfWay);
    for (std::size_t i = 0; i < std::min(halfWay.size(), kMostHalfWay) && found.empty(); ++i) {
      std::vector<SourceChanges> none;
      goBack(halfWay[i], none);
    }
    if (found.size() < most)
      scan(numbers);
    std::vector<SourceChanges> list(found.begin(), found.end());
    std::stable_sort(list.begin(), list.end(), [&](const SourceChanges &a, const SourceChanges &b) {
      return costOf(a, preferred) < costOf(b, preferred);
    });
    if (list.size() > most)
      list.resize(most);
    return list;
  }

private:
  /// Few inputs, and numbers near 0 or near those of the run, rather not negative ones.
  std::tuple<std::size_t, std::uint64_t, bool> costOf(const SourceChanges &changes, Preferred preferred) const {
    bool negative = false;
    std::uint64_t sum = 0;
    for (const auto &[source, value] : changes) {
      negative = negative || value < 0;
      const std::int64_t far = preferred == Preferred::Near ? wrappedDifference(value, nowOf(source)) : value;
      sum += std::min<std::uint64_t>(far < 0 ? 0 - static_cast<std::uint64_t>(far) : static_cast<std::uint64_t>(far),
                                     UINT64_MAX / 16);
    }
    return {changes.size(), sum, negative};
  }

  bool does(const SourceChanges &changes) {
    cone.evaluate(changes);
    return (cone.bitsOf(condition) != 0) == wanted;
  }

  void goBack(const SourceChanges &from, std::vector<SourceChanges> &halfWay) {
    start = from;
    proposed.clear();
    cone.evaluate(start);
    flip(condition, wanted, 0);
    for (const SourceChanges &changes : proposed)
      if (does(changes))
        found.insert(changes);
      else
        halfWay.push_back(changes);
  }

  std::int64_t bits(const Derived &number) const { return cone.bitsOf(number); }

  void propose(std::uint32_t source, std::int64_t value) {
    const Range range = rangeOf(derivation.sources()[source]);
    if (value < range.low || value > range.high || proposed.size() >= kMostOneStep)
      return;
    SourceChanges changes = start;
    changes[source] = value;
    proposed.insert(std::move(changes));
  }

  /// Makes the number not 0, or 0.
  void flip(const Derived &number, bool hold, int depth) {
    if (number.node == 0 || depth > kDeepestWay)
      return;
    const DerivationNode &node = derivation[number.node];
    if (node.kind == Kind::Binary && isComparison(node.op))
      return compare(node, hold, depth);
    if (node.kind == Kind::Unary && node.op == Operator::LogicalNot)
      return flip(node.first, !hold, depth + 1);
    if (node.kind == Kind::Cast && node.type.bits == 1)
      return flip(node.first, hold, depth + 1);
    const bool booleans = node.kind == Kind::Binary && node.operands.bits == 1;
    if (booleans && (node.op == Operator::BitAnd || node.op == Operator::BitOr)) {
      flip(node.first, hold, depth + 1);
      return flip(node.second, hold, depth + 1);
    }
    if (node.kind == Kind::Select) {
      flip(bits(node.first) ? node.second : node.third, hold, depth + 1);
      return flip(node.first, bits(node.first) == 0, depth + 1);
    }
    for (std::int64_t target : hold ? std::vector<std::int64_t>{1, -1, 2} : std::vector<std::int64_t>{0})
      reach(number, target, depth + 1);
  }

  /// Makes a comparison hold, or not, by either of its sides.
  void compare(const DerivationNode &node, bool hold, int depth) {
    const std::int64_t left = bits(node.first), right = bits(node.second);
    auto both = [&](std::int64_t above) { // left = right + above
      reach(node.first, wrappedSum(right, above), depth + 1);
      reach(node.second, wrappedDifference(left, above), depth + 1);
    };
    Operator op = node.op;
    if (!hold)
      op = op == Operator::Less           ? Operator::GreaterEqual
           : op == Operator::LessEqual    ? Operator::Greater
           : op == Operator::Greater      ? Operator::LessEqual
           : op == Operator::GreaterEqual ? Operator::Less
           : op == Operator::Equal        ? Operator::NotEqual
                                          : Operator::Equal;
    switch (op) {
    case Operator::Less: return both(-1);
    case Operator::Greater: return both(1);
    case Operator::NotEqual: both(1); return both(-1);
    default: return both(0); // equal numbers do
    }
  }

  /// Makes the number `target`, by one input at a time.
  void reach(const Derived &number, std::int64_t target, int depth) {
    if (number.node == 0 || depth > kDeepestWay || proposed.size() >= kMostOneStep)
      return;
    const DerivationNode &node = derivation[number.node];
    switch (node.kind) {
    case Kind::Source: return propose(node.source, target);
    case Kind::Cast: return reach(node.first, wrapTo(node.operands, target), depth + 1);
    case Kind::Unary:
      if (node.op == Operator::LogicalNot)
        return flip(node.first, target == 0, depth + 1);
      return reach(node.first, node.op == Operator::BitNot ? ~target : wrappedDifference(0, target), depth + 1);
    case Kind::Select:
      reach(bits(node.first) ? node.second : node.third, target, depth + 1);
      return flip(node.first, bits(node.first) == 0, depth + 1);
    case Kind::Binary: return reachBinary(node, target, depth);
    }
  }

  void reachBinary(const DerivationNode &node, std::int64_t target, int depth) {
    const std::int64_t left = bits(node.first), right = bits(node.second);
    auto first = [&](std::int64_t value) { reach(node.first, wrapTo(node.operands, value), depth + 1); };
    auto second = [&](std::int64_t value) { reach(node.second, wrapTo(node.operands, value), depth + 1); };
    switch (node.op) {
    case Operator::Add: first(wrappedDifference(target, right)); return second(wrappedDifference(target, left));
    case Operator::Subtract: first(wrappedSum(target, right)); return second(wrappedDifference(left, target));
    case Operator::Multiply:
      reachProduct(node.first, target, right, depth);
      return reachProduct(node.second, target, left, depth);
    case Operator::ShiftLeft:
      if (right >= 0 && right < 63)
        reachProduct(node.first, target, std::int64_t{1} << right, depth);
      return;
    case Operator::Divide: reachQuotient(node, target, right, depth); break;
    case Operator::ShiftRight:
      if (right >= 0 && right < 63)
        reachQuotient(node, target, std::int64_t{1} << right, depth);
      break;
    case Operator::Remainder:
      first(target);
      if (right > 0)
        first(wrappedSum(wrappedDifference(left, left % right), target));
      second(wrappedDifference(left, target));
      break;
    case Operator::BitAnd: first((left & ~right) | (target & right)); return second((right & ~left) | (target & left));
    case Operator::BitOr: first(target & ~right); return second(target & ~left);
    case Operator::BitXor: first(target ^ right); return second(target ^ left);
    default:
      if (isComparison(node.op))
        compare(node, target != 0, depth);
    }
  }

  void reachProduct(const Derived &factor, std::int64_t target, std::int64_t other, int depth) {
    if (other == 0 || other == -1)
      return other == 0 ? void() : reach(factor, wrappedDifference(0, target), depth + 1);
    const std::int64_t below = roundedDown(target, other);
    reach(factor, below, depth + 1);
    if (below * other != target)
      reach(factor, below + 1, depth + 1);
  }

  void reachQuotient(const DerivationNode &node, std::int64_t target, std::int64_t divisor, int depth) {
    const std::int64_t first = wrappedProduct(target, divisor);
    reach(node.first, first, depth + 1);
    const std::int64_t last = divisor < 0 ? wrappedDifference(-1, divisor) : divisor - 1; // of the same quotient
    reach(node.first, target < 0 ? wrappedDifference(first, last) : wrappedSum(first, last), depth + 1);
    if (target != 0 && node.op == Operator::Divide)
      reach(node.second, bits(node.first) / (target == -1 ? 1 : target), depth + 1);
  }

  /// Numbers for one source after another, and from one that does back towards what the run has.
  void scan(const std::vector<std::int64_t> &numbers) {
    std::vector<std::uint32_t> sources = cone.sources();
    if (sources.size() > kMostScanned)
      sources.resize(kMostScanned);
    for (std::uint32_t source : sources) {
      const Range range = rangeOf(derivation.sources()[source]);
      cone.evaluate({});
      const std::int64_t now = nowOf(source);
      bool below = false, above = false;
      for (std::int64_t value : valuesAround(now, range, numbers)) {
        bool &done = value < now ? below : above;
        if (done || value == now || value < range.low || value > range.high || !does({{source, value}}))
          continue;
        done = true;
        found.insert({{source, nearest(source, now, value)}});
      }
    }
  }

  std::int64_t nowOf(std::uint32_t source) const { return derivation.bitsOf(source); }

  static std::vector<std::int64_t> valuesAround(std::int64_t now, const Range &range,
                                                const std::vector<std::int64_t> &numbers) {
    std::vector<std::int64_t> values;
    for (int power = 0; power <= 40; ++power)
      for (std::int64_t sign : {1, -1})
        values.push_back(wrappedSum(now, sign, std::int64_t{1} << power));
    values.insert(values.end(), {0, -1, range.low, range.high});
    values.insert(values.end(), numbers.begin(), numbers.end());
    return values;
  }

  /// Between a number that does not do and one that does.
  std::int64_t nearest(std::uint32_t source, std::int64_t not_, std::int64_t does_) {
    for (int steps = 0; steps < 64 && does_ != not_ + 1 && does_ != not_ - 1; ++steps) {
      const std::int64_t middle = not_ + (does_ / 2 - not_ / 2);
      if (middle == not_ || middle == does_)
        break;
      (does({{source, middle}}) ? does_ : not_) = middle;
    }
    return does_;
  }

  const Derivation &derivation;
  const Derived condition;
  const bool wanted;
  Cone cone;
  SourceChanges start;
  std::set<SourceChanges> proposed, found;
};

} // namespace

std::vector<SourceChanges> proposalsFor(const Derivation &derivation, const Derived &condition, bool wanted,
                                        const std::vector<std::int64_t> &numbers, Preferred preferred,
                                        std::size_t most) {
  return Proposer(derivation, condition, wanted).find(numbers, preferred, most);
}

} // namespace ptosync::replay
