#include "replay/contraction.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

using Wide = __int128;
using Kind = DerivationNode::Kind;

constexpr int kMostRounds = 12;

class Contraction {
public:
  Contraction(const Derivation &derivation, const std::vector<std::uint32_t> &nodes, const NodeBounds &sources)
      : derivation(derivation), nodes(nodes) {
    for (std::uint32_t id : nodes) {
      bounds[id] = boundsOf(derivation, id, bounds);
      if (auto narrower = sources.find(id); narrower != sources.end())
        narrow({0, id}, narrower->second.low, narrower->second.high);
    }
  }

  void assume(const Fact &fact) { narrow(fact.number, fact.range.low, fact.range.high); }

  /// False if some number has no bounds left.
  bool settle() {
    changed = true;
    for (int round = 0; round < kMostRounds && changed && !empty; ++round) {
      changed = false;
      for (auto node = nodes.rbegin(); node != nodes.rend() && !empty; ++node)
        backwards(derivation[*node], bounds.at(*node));
      for (std::uint32_t id : nodes) {
        const Range computed = boundsOf(derivation, id, bounds);
        narrow({0, id}, computed.low, computed.high);
      }
    }
    return !empty;
  }

private:
  Range of(const Derived &number) const { return boundsOf(number, bounds); }

  void narrow(const Derived &number, Wide low, Wide high) {
    const Range now = of(number);
    low = std::max<Wide>(low, now.low);
    high = std::min<Wide>(high, now.high);
    empty = empty || low > high;
    if (empty || number.node == 0 || (low == now.low && high == now.high))
      return;
    bounds[number.node] = {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
    changed = true;
  }

  void backwards(const DerivationNode &node, const Range &range) {
    switch (node.kind) {
    case Kind::Source: break;
    case Kind::Unary:
      if (node.op == Operator::LogicalNot && range.single())
        hold(node.first, range.low == 0);
      break;
    case Kind::Binary: backwardsBinary(node, range); break;
    case Kind::Cast:
      if (node.type.bits == 1 && range.single())
        hold(node.first, range.low != 0);
      else if (node.type.bits > 1 && fits(of(node.first), node.type))
        narrow(node.first, range.low, range.high);
      break;
    case Kind::Select:
      if (const Range condition = of(node.first); condition.single())
        narrow(condition.low != 0 ? node.second : node.third, range.low, range.high);
      break;
    }
  }

  /// The number is not 0, or is 0.
  void hold(const Derived &number, bool holds) {
    const Range range = of(number);
    if (!holds)
      narrow(number, 0, 0);
    else if (range.low == 0)
      narrow(number, 1, range.high);
    else if (range.high == 0)
      narrow(number, range.low, -1);
  }

  static bool fitsIn(IntegerType type, Wide low, Wide high) {
    // Of 64 bits, as signed numbers: patterns without a sign add up as they do.
    const Range all = rangeOf(type.bits >= 64 ? kInt64 : type);
    return low >= all.low && high <= all.high;
  }

  void backwardsBinary(const DerivationNode &node, const Range &range) {
    const Range left = of(node.first), right = of(node.second);
    if (isComparison(node.op)) {
      if (range.single())
        compare(node, range.low != 0, left, right);
      return;
    }
    switch (node.op) {
    case Operator::Add:
      if (!fitsIn(node.operands, Wide{left.low} + right.low, Wide{left.high} + right.high))
        return;
      narrow(node.first, Wide{range.low} - right.high, Wide{range.high} - right.low);
      return narrow(node.second, Wide{range.low} - left.high, Wide{range.high} - left.low);
    case Operator::Subtract:
      if (!fitsIn(node.operands, Wide{left.low} - right.high, Wide{left.high} - right.low))
        return;
      narrow(node.first, Wide{range.low} + right.low, Wide{range.high} + right.high);
      return narrow(node.second, Wide{left.low} - range.high, Wide{left.high} - range.low);
    case Operator::Multiply:
      if (right.single())
        multiplied(node, node.first, left, right.low, range);
      else if (left.single())
        multiplied(node, node.second, right, left.low, range);
      return;
    case Operator::Divide:
    case Operator::Remainder:
      if (right.single() && right.low > 0 && (node.operands.isSigned || left.low >= 0))
        divided(node, right.low, range);
      return;
    case Operator::BitAnd:
    case Operator::BitOr:
      if (node.operands.bits == 1 && range.single() && (range.low != 0) == (node.op == Operator::BitAnd)) {
        hold(node.first, range.low != 0);
        hold(node.second, range.low != 0);
      }
      return;
    default: return;
    }
  }

  static Wide roundedUp(Wide value, Wide divisor) { return -roundedDown(-value, divisor); }
  static Wide roundedDown(Wide value, Wide divisor) { return value / divisor - (value % divisor < 0); }

  void multiplied(const DerivationNode &node, const Derived &number, const Range &of, std::int64_t factor,
                  const Range &range) {
    if (factor > 0 && fitsIn(node.operands, Wide{of.low} * factor, Wide{of.high} * factor))
      narrow(number, roundedUp(range.low, factor), roundedDown(range.high, factor));
  }

  /// Quotients are rounded to 0, and the rest has the sign of the number.
  void divided(const DerivationNode &node, Wide divisor, const Range &range) {
    const Range all = of(node.first);
    Wide low = all.low, high = all.high;
    if (node.op == Operator::Divide) {
      low = range.low > 0 ? range.low * divisor : range.low * divisor - (divisor - 1);
      high = range.high >= 0 ? range.high * divisor + (divisor - 1) : range.high * divisor;
    } else {
      if (range.low > 0)
        low = range.low;
      if (range.high < 0)
        high = range.high;
    }
    narrow(node.first, low, high);
  }

  void compare(const DerivationNode &node, bool holds, const Range &left, const Range &right) {
    const bool equality = node.op == Operator::Equal || node.op == Operator::NotEqual;
    if (equality) {
      if (holds != (node.op == Operator::Equal))
        return;
      narrow(node.first, right.low, right.high);
      return narrow(node.second, left.low, left.high);
    }
    const bool swapped = node.op == Operator::Greater || node.op == Operator::GreaterEqual;
    const bool strict = node.op == Operator::Less || node.op == Operator::Greater;
    // below < above, or below <= above.
    const Derived *below = swapped ? &node.second : &node.first, *above = swapped ? &node.first : &node.second;
    Wide least = strict ? 1 : 0;
    if (!holds) {
      std::swap(below, above);
      least = strict ? 0 : 1;
    }
    const Range low = of(*below), high = of(*above);
    const bool wide = !node.operands.isSigned && node.operands.bits == 64;
    if (wide && high.low < 0)
      return; // the larger one may be beyond 2^63
    if (wide) // so the smaller one is no larger than that, and none that begins with a 1
      narrow(*below, 0, Wide{high.high} - least);
    else
      narrow(*below, low.low, Wide{high.high} - least);
    if (!wide || low.low >= 0)
      narrow(*above, Wide{low.low} + least, high.high);
  }

  const Derivation &derivation;
  const std::vector<std::uint32_t> &nodes;
  NodeBounds bounds;
  bool changed = false, empty = false;
};

} // namespace

bool mayHold(const Derivation &derivation, const std::vector<Fact> &facts, const NodeBounds &sources) {
  std::vector<Derived> numbers;
  for (const Fact &fact : facts)
    numbers.push_back(fact.number);
  const Cone cone(derivation, numbers);
  Contraction contraction(derivation, cone.all(), sources);
  for (const Fact &fact : facts)
    contraction.assume(fact);
  return contraction.settle();
}

} // namespace ptosync::replay
