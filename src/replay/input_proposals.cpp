#include "replay/input_proposals.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync::replay {
namespace {

using Kind = DerivationNode::Kind;

constexpr std::size_t kMostOneStep = 48;  // proposals of one way back
constexpr std::size_t kMostHalfWay = 12;  // that do not do yet, and are gone on from
constexpr int kDeepestWay = 200;
constexpr std::size_t kMostScanned = 8;   // sources that numbers are tried for one after another

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
    std::stable_sort(list.begin(), list.end(),
                     [&](const SourceChanges &a, const SourceChanges &b) { return costOf(a, preferred) < costOf(b, preferred); });
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
    case Operator::Multiply: reachProduct(node.first, target, right, depth); return reachProduct(node.second, target, left, depth);
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
    case Operator::BitAnd:
      first((left & ~right) | (target & right));
      return second((right & ~left) | (target & left));
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

  std::int64_t nowOf(std::uint32_t source) const {
    return derivation.bitsOf(source);
  }

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
