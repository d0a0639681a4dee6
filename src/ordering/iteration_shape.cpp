#include "ordering/iteration_shape.h"

#include <algorithm>
#include <numeric>

namespace ptosync {
namespace {

// Slopes and what is made of them stay far below 64 bits.
constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 20, kLargestConstant = std::int64_t{1} << 60;

bool within(std::int64_t value, std::int64_t limit) { return value >= -limit && value <= limit; }

std::optional<IterationShape> bounded(const IterationShape &shape) {
  if (shape.prefix > IterationShapes::kLongestPrefix || shape.period > IterationShapes::kLongestPeriod ||
      !within(shape.slope, kLargestConstant))
    return std::nullopt;
  return shape;
}

/// The two over a common period.
void align(IterationShape &a, IterationShape &b) {
  std::int64_t period = std::lcm(a.period, b.period);
  a.slope *= period / a.period;
  b.slope *= period / b.period;
  a.prefix = b.prefix = std::max(a.prefix, b.prefix);
  a.period = b.period = period;
}

/// 2^n for a mask of the n lowest bits; 0 for any other.
std::int64_t sizeOfMask(std::int64_t mask) { return mask > 0 && (mask & (mask + 1)) == 0 ? mask + 1 : 0; }

/// Over as many periods as make the growth a multiple of `divisor`.
IterationShape stretched(IterationShape shape, std::int64_t divisor) {
  std::int64_t times = divisor / std::gcd(divisor, shape.slope);
  return {shape.prefix, shape.period * times, shape.slope * times};
}

} // namespace

void IterationShapes::addLoops(const ScalarValue &value, std::set<LoopId> &loops) const {
  for (const Term &term : value.terms) {
    const Atom &atom = scalars[term.atom];
    if (atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table)
      loops.insert(atom.scope);
    for (const ScalarValue &operand : atom.operands)
      addLoops(operand, loops);
  }
}

std::optional<IterationShape> IterationShapes::shape(const ScalarValue &value, LoopId loop) const {
  if (!scalars.isExactSum(value) || !within(value.constant, kLargestConstant))
    return std::nullopt;
  IterationShape sum;
  for (const Term &term : value.terms) {
    std::optional<IterationShape> part = shapeOfAtom(term.atom, loop);
    if (!part || !within(term.coefficient, kLargestCoefficient) || !within(part->slope, kLargestCoefficient))
      return std::nullopt;
    part->slope *= term.coefficient;
    align(sum, *part);
    sum.slope += part->slope;
    if (!bounded(sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<IterationShape> IterationShapes::shapeOfAtom(AtomId id, LoopId loop) const {
  const Atom &atom = scalars[id];
  if (atom.scope == kNone && atom.operands.empty())
    return std::nullopt;
  switch (atom.kind) {
  case Atom::Kind::Counter: return IterationShape{0, 1, atom.scope == loop ? 1 : 0};
  case Atom::Kind::Table: return bounded({0, atom.scope == loop ? static_cast<std::int64_t>(atom.table.size()) : 1, 0});
  case Atom::Kind::Argument: return std::nullopt;
  case Atom::Kind::Choice:
  case Atom::Kind::Opaque: break;
  }
  if (!atom.iterations)
    return std::nullopt;
  return shape(atom.op, atom.operands[0], atom.operands[1], loop);
}

std::optional<IterationShape> IterationShapes::shape(Operator op, const ScalarValue &a, const ScalarValue &b,
                                                     LoopId loop) const {
  std::optional<IterationShape> left = shape(a, loop), right = shape(b, loop);
  if (!left || !right)
    return std::nullopt;
  if (isComparison(op))
    return comparison(op, a, b, *left, *right, loop);
  // The operator's result in iteration i is the same function of operands that are the same.
  if (left->repeats() && right->repeats()) {
    align(*left, *right);
    return bounded(*left);
  }
  if (!b.isConstant() || b.constant <= 0)
    return std::nullopt;
  bool positive = a.interval.lowest >= 0;
  std::int64_t divisor = b.constant;
  switch (op) {
  case Operator::ShiftRight:
    if (b.constant >= 32)
      return std::nullopt;
    divisor = std::int64_t{1} << b.constant;
    [[fallthrough]];
  case Operator::Divide: {
    if (!positive || divisor > kLargestCoefficient)
      return std::nullopt;
    IterationShape whole = stretched(*left, divisor);
    whole.slope /= divisor;
    return bounded(whole);
  }
  case Operator::Remainder: {
    if (!positive || divisor > kLargestCoefficient)
      return std::nullopt;
    IterationShape whole = stretched(*left, divisor);
    whole.slope = 0;
    return bounded(whole);
  }
  case Operator::BitAnd: {
    // The lowest bits of two's complement do not ask for the sign.
    std::int64_t size = sizeOfMask(b.constant);
    if (size == 0 || size > kLargestCoefficient)
      return std::nullopt;
    IterationShape whole = stretched(*left, size);
    whole.slope = 0;
    return bounded(whole);
  }
  default: return std::nullopt;
  }
}

std::optional<IterationShape> IterationShapes::comparison(Operator op, const ScalarValue &a, const ScalarValue &b,
                                                          const IterationShape &left, const IterationShape &right,
                                                          LoopId loop) const {
  // As unsigned numbers of 64 bits negative ones are large.
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  if (!equality && !a.type.isSigned && a.type.bits == 64 && (a.interval.lowest < 0 || b.interval.lowest < 0))
    return std::nullopt;
  IterationShape first = left, second = right;
  align(first, second);
  IterationShape difference{first.prefix, first.period, first.slope - second.slope};
  if (difference.repeats())
    return bounded(difference);
  std::set<LoopId> loops;
  addLoops(a, loops);
  addLoops(b, loops);
  if (loops.size() != 1 || *loops.begin() != loop)
    return std::nullopt;
  std::optional<IterationShape> turned = turningPoint(a, b, difference);
  if (!turned)
    return std::nullopt;
  // It may have come out like that before.
  auto outcome = [&](std::int64_t at) -> std::optional<std::int64_t> {
    auto iteration = [&](LoopId) { return std::optional(at); };
    std::optional<std::int64_t> x = evaluate(a, iteration), y = evaluate(b, iteration);
    std::int64_t result = 0;
    return x && y && applyOperator(op, a.type, *x, *y, result) ? std::optional(result) : std::nullopt;
  };
  std::optional<std::int64_t> last = outcome(turned->prefix);
  while (last && turned->prefix > 0 && outcome(turned->prefix - 1) == last)
    --turned->prefix;
  return bounded(*turned);
}

/// From where on the difference of the two, which grows or falls, keeps its sign for good.
std::optional<IterationShape> IterationShapes::turningPoint(const ScalarValue &a, const ScalarValue &b,
                                                            IterationShape difference) const {
  auto keepsSign = [&](std::int64_t at) {
    auto iteration = [&](LoopId) { return std::optional(at); };
    std::optional<std::int64_t> x = evaluate(a, iteration), y = evaluate(b, iteration);
    return x && y && (difference.slope > 0 ? *x > *y : *x < *y);
  };
  if (!bounded(difference))
    return std::nullopt;
  std::int64_t kept = 0; // iterations in a row
  for (std::int64_t at = difference.prefix; at < kLongestPrefix + difference.period + 1; ++at) {
    kept = keepsSign(at) ? kept + 1 : 0;
    if (kept == difference.period)
      return IterationShape{at + 1 - difference.period, 1, 0};
  }
  return std::nullopt;
}

std::optional<std::int64_t> IterationShapes::evaluate(const ScalarValue &value, const Iteration &iteration) const {
  if (value.modulus != 0)
    return std::nullopt;
  std::int64_t sum = value.constant;
  for (const Term &term : value.terms) {
    std::optional<std::int64_t> part = evaluate(term.atom, iteration);
    if (!part)
      return std::nullopt;
    sum = wrappedSum(sum, term.coefficient, *part);
  }
  return sum;
}

std::optional<std::int64_t> IterationShapes::evaluate(AtomId id, const Iteration &iteration) const {
  const Atom &atom = scalars[id];
  if (atom.kind == Atom::Kind::Counter || (atom.kind == Atom::Kind::Table && atom.scope != kNone)) {
    std::optional<std::int64_t> at = iteration(atom.scope);
    if (!at || atom.kind == Atom::Kind::Counter)
      return at;
    return atom.table[static_cast<std::size_t>(*at) % atom.table.size()];
  }
  if (!atom.iterations)
    return std::nullopt;
  std::optional<std::int64_t> a = evaluate(atom.operands[0], iteration), b = evaluate(atom.operands[1], iteration);
  std::int64_t result = 0;
  if (!a || !b || !applyOperator(atom.op, atom.operands[0].type, *a, *b, result))
    return std::nullopt;
  return result;
}

} // namespace ptosync
