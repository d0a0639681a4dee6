#include "replay/relation.h"

#include "replay/inputs.h"

#include <algorithm>
#include <bit>

namespace ptosync::replay {
namespace {

// What a base is a hash of.
constexpr std::uint64_t kDrawn = 1, kNarrowed = 2, kComputed = 3, kChosen = 4, kCompared = 5, kBounded = 6, kEither = 7;

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

/// How far the value is from what its base stands for.
std::int64_t distanceOf(const Value &value) { return value.origin == Origin::Unknown ? value.offset : value.bits; }

std::uint64_t typeKey(IntegerType type) { return std::uint64_t{type.bits} * 2 + type.isSigned; }

std::uint64_t chosenBase(const Choices &choices) {
  if (choices.root == 0)
    return 0;
  std::uint64_t hash = mix(kChosen, choices.root);
  for (std::int64_t value : choices.values)
    hash = mix(hash, static_cast<std::uint64_t>(value));
  return hash;
}

/// Of a number with the one residue or the other; neither has a root.
Congruence commonResidue(const Congruence &one, const Congruence &other) {
  const auto apart = static_cast<std::uint64_t>(wrappedDifference(one.offset, other.offset));
  return {0, one.offset, static_cast<std::uint8_t>(std::min<int>({one.bits, other.bits, std::countr_zero(apart)}))};
}

} // namespace

void relate(Value &value, std::uint64_t base, std::int64_t offset) {
  value.base = base;
  value.offset = base == 0 ? 0 : offset;
  value.congruence = {base, value.offset, static_cast<std::uint8_t>(base == 0 ? 0 : 64)};
  value.residue = {};
}

void keepCongruences(Value &value, Congruence congruence, Congruence residue, IntegerType type) {
  if (value.base == 0 || type.bits < 8)
    return;
  congruence.bits = std::min(congruence.bits, type.bits);
  residue.bits = std::min(residue.bits, type.bits);
  if (congruence.root == 0 && congruence.bits > residue.bits) // what was loaded has gone
    residue = congruence;
  if (congruence.root != 0 && congruence.bits != 0)
    value.congruence = congruence;
  value.residue = residue;
}

std::uint64_t keyOf(const Value &value) { return mix(value.base, static_cast<std::uint64_t>(distanceOf(value))); }

Value described(Value value) {
  if (value.origin == Origin::Unknown)
    return value;
  if (value.origin < Origin::Sampled) {
    value.range = {value.bits, value.bits};
    return value;
  }
  const std::vector<std::int64_t> &values = value.choices->values;
  value.origin = Origin::Unknown;
  relate(value, chosenBase(*value.choices), 0);
  value.range = {values.front(), values.front()};
  Congruence residue{0, values.front(), 64};
  for (std::int64_t one : values) {
    value.range = spanOf(value.range, {one, one});
    residue = commonResidue(residue, {0, one, 64});
  }
  if (value.base != 0)
    value.residue = residue;
  value.choices = nullptr;
  return value;
}

Value eitherOf(const Value &condition, const Value &whenTrue, const Value &whenFalse) {
  const Value when = described(condition), one = described(whenTrue), other = described(whenFalse);
  Value result{condition.bits ? one.bits : other.bits, Origin::Unknown, {}};
  result.range = spanOf(one.range, other.range);
  if (isUnrelated(when) || isUnrelated(one) || isUnrelated(other))
    return result;
  relate(result, mix(mix(mix(kEither, keyOf(when)), keyOf(one)), keyOf(other)), 0);
  result.residue = commonResidue(residueOf(one), residueOf(other));
  return result;
}

std::uint64_t drawnBase(std::uint64_t instance, std::uint64_t number) { return mix(mix(kDrawn, instance), number); }

std::uint64_t narrowedBase(const Value &value, IntegerType type) {
  return mix(mix(kNarrowed, typeKey(type)), keyOf(value));
}

std::uint64_t computedBase(Operator op, IntegerType type, std::uint64_t operandKey) {
  return mix(mix(kComputed, static_cast<std::uint64_t>(op) * 256 + typeKey(type)), operandKey);
}

std::uint64_t boundedBase(const Value &value) {
  return mix(mix(kBounded, static_cast<std::uint64_t>(value.range.low)), keyOf(value));
}

std::uint64_t comparedBase(Operator op, bool isSigned, std::uint64_t left, std::uint64_t right) {
  return mix(mix(mix(kCompared, static_cast<std::uint64_t>(op) * 2 + isSigned), left), right);
}

void relateResult(Value &result, Operator op, IntegerType type, const Value &left, const Value &right) {
  const bool wide = type.bits == 64;
  const std::uint64_t sign = op == Operator::Subtract ? ~std::uint64_t{0} : 1;
  if (isUnrelated(left) || isUnrelated(right))
    return relate(result, 0, 0);
  const auto relateToItself = [&] { relate(result, mix(computedBase(op, type, keyOf(left)), keyOf(right)), 0); };
  // The base of a known number is 0, and a base may be any number: sums of bases say which unknowns are in it how
  // often.
  if (op == Operator::Add || op == Operator::Subtract) {
    if (wide)
      relate(result, left.base + sign * right.base,
             wrappedSum(distanceOf(left), static_cast<std::int64_t>(sign), distanceOf(right)));
    else
      relateToItself();
    keepCongruences(result, sumOf(congruenceOf(left), sign, congruenceOf(right)),
                    sumOf(residueOf(left), sign, residueOf(right)), type);
  } else if (op == Operator::Multiply && (left.base == 0 || right.base == 0)) {
    const std::int64_t factor = left.base == 0 ? left.bits : right.bits;
    const Value &other = left.base == 0 ? right : left;
    if (const std::uint64_t base = other.base * static_cast<std::uint64_t>(factor); wide && tellsApart(base))
      relate(result, base, wrappedProduct(other.offset, factor));
    else
      relateToItself();
    keepCongruences(result, productOf(other.congruence, factor), productOf(other.residue, factor), type);
  } else {
    relateToItself();
  }
}

} // namespace ptosync::replay
