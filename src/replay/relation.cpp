#include "replay/relation.h"

#include "replay/inputs.h"

#include <algorithm>
#include <bit>

namespace ptosync::replay {
namespace {

// What a base is a hash of.
constexpr std::uint64_t kDrawn = 1, kNarrowed = 2, kComputed = 3, kChosen = 4, kCompared = 5, kBounded = 6, kEither = 7,
                        kArgument = 8;

constexpr std::size_t kMostSums = 4; // of one value

/// How far the value is from what its base stands for.
std::int64_t distanceOf(const Value &value) { return value.origin == Origin::Unknown ? value.offset() : value.bits; }

/// A known number is a sum of nothing and itself.
std::vector<Congruence> sumsOf(const Value &value) {
  return value.origin == Origin::Unknown ? value.sums : std::vector<Congruence>{{0, value.bits, 64, {}}};
}
Residue residueOf(const Value &value) {
  return value.origin == Origin::Unknown ? value.residue : Residue{value.bits, 64};
}

Congruence sumOf(const Congruence &a, std::int64_t sign, const Congruence &b) {
  const std::uint64_t root = a.root + static_cast<std::uint64_t>(sign) * b.root;
  return {root, wrappedSum(a.offset, sign, b.offset), std::min(a.bits, b.bits),
          root == 0 ? Terms{} : sumOf(a.terms, sign, b.terms, root)};
}

Residue sumOf(const Residue &a, std::int64_t sign, const Residue &b) {
  return {wrappedSum(a.offset, sign, b.offset), std::min(a.bits, b.bits)};
}

/// False for a multiple of so high a power of two that too little of the hash is left.
bool tellsApart(std::uint64_t base) { return std::countr_zero(base) <= 24; }

/// A factor of 2^n says n bits more.
Residue productOf(const Residue &of, std::int64_t factor) {
  const int zeros = factor == 0 ? 64 : std::countr_zero(static_cast<std::uint64_t>(factor));
  return {wrappedProduct(of.offset, factor), static_cast<std::uint8_t>(std::min(64, of.bits + zeros))};
}

Congruence productOf(const Congruence &of, std::int64_t factor) {
  const std::uint64_t root = of.root * static_cast<std::uint64_t>(factor);
  if (of.root != 0 && !tellsApart(root))
    return {};
  const Residue known = productOf(Residue{of.offset, of.bits}, factor);
  return {root, known.offset, known.bits, sumOf({}, factor, of.terms, root)};
}

std::uint64_t typeKey(IntegerType type) { return std::uint64_t{type.bits} * 2 + type.isSigned; }

std::uint64_t chosenBase(const Choices &choices) {
  if (choices.root == 0)
    return 0;
  std::uint64_t hash = mix(kChosen, choices.root);
  for (std::int64_t value : choices.values)
    hash = mix(hash, static_cast<std::uint64_t>(value));
  return hash;
}

std::uint64_t computedBase(Operator op, IntegerType type, const Value &left, const Value &right) {
  const std::uint64_t how = mix(kComputed, static_cast<std::uint64_t>(op) * 256 + typeKey(type));
  return mix(mix(how, keyOf(left)), keyOf(right));
}

/// What is left of `sums` and `residue` in a type, whose numbers are told apart by so many bits, beside what is known.
void keep(Value &value, std::vector<Congruence> sums, Residue residue, IntegerType type) {
  if (value.sums.empty() || type.bits < 8)
    return;
  residue.bits = std::min(residue.bits, type.bits);
  for (Congruence &sum : sums)
    sum.bits = std::min(sum.bits, type.bits);
  // Of equal bits, what is shorter and nearer to what was loaded.
  std::reverse(sums.begin(), sums.end());
  std::stable_sort(sums.begin(), sums.end(), [](const Congruence &a, const Congruence &b) {
    return a.bits != b.bits ? a.bits > b.bits : a.terms.size() < b.terms.size();
  });
  for (Congruence &sum : sums) {
    if (sum.root == 0 && sum.bits > residue.bits) // what was loaded has gone
      residue = {sum.offset, sum.bits};
    const bool known = std::any_of(value.sums.begin(), value.sums.end(),
                                   [&](const Congruence &other) { return other.root == sum.root; });
    if (sum.root != 0 && sum.bits != 0 && !known && value.sums.size() < kMostSums)
      value.sums.push_back(std::move(sum));
  }
  value.residue = residue;
  // A number of its own has the bounds of the value.
  Terms &terms = value.sums.front().terms;
  const bool itself = terms == Terms{{value.base(), 1, value.range}};
  value.range = aligned(value.range, residue);
  if (itself)
    terms.front().range = value.range;
}

/// Of a number with the one residue or the other.
Residue commonResidue(const Residue &one, const Residue &other) {
  const auto apart = static_cast<std::uint64_t>(wrappedDifference(one.offset, other.offset));
  return {one.offset, static_cast<std::uint8_t>(std::min<int>({one.bits, other.bits, std::countr_zero(apart)}))};
}

/// The operator as a product with a known factor, as a shift to the left is one; empty if it is none.
struct Scaled {
  const Value *value;
  std::int64_t factor;
};
std::optional<Scaled> scaledBy(Operator op, IntegerType type, const Value &left, const Value &right) {
  if (op == Operator::Multiply && right.base() == 0)
    return Scaled{&left, right.bits};
  if (op == Operator::Multiply && left.base() == 0)
    return Scaled{&right, left.bits};
  if (op == Operator::ShiftLeft && right.base() == 0 && right.bits >= 0 && right.bits < std::min<int>(type.bits, 63))
    return Scaled{&left, std::int64_t{1} << right.bits};
  return std::nullopt;
}

} // namespace

void relateToItself(Value &value, std::uint64_t base) {
  value.residue = {};
  value.sums.clear();
  if (base != 0)
    value.sums.push_back({base, 0, 64, {{base, 1, value.range}}});
}

void narrow(Value &value, IntegerType type) {
  const bool none = type.bits == 0 || isUnrelated(value);
  const std::uint64_t base = none ? 0 : mix(mix(kNarrowed, typeKey(type)), keyOf(value));
  std::vector<Congruence> sums = std::move(value.sums);
  const Residue residue = value.residue;
  value.range = converted(value.range, type);
  relateToItself(value, base);
  keep(value, std::move(sums), residue, type);
}

std::uint64_t keyOf(const Value &value) { return mix(value.base(), static_cast<std::uint64_t>(distanceOf(value))); }

Value described(Value value) {
  if (value.origin == Origin::Unknown)
    return value;
  if (value.origin < Origin::Sampled) {
    value.range = {value.bits, value.bits};
    return value;
  }
  const std::vector<std::int64_t> &values = value.choices->values;
  value.origin = Origin::Unknown;
  value.range = {values.front(), values.front()};
  Residue residue{values.front(), 64};
  for (std::int64_t one : values) {
    value.range = spanOf(value.range, {one, one});
    residue = commonResidue(residue, {one, 64});
  }
  relateToItself(value, chosenBase(*value.choices));
  if (!value.sums.empty())
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
  relateToItself(result, mix(mix(mix(kEither, keyOf(when)), keyOf(one)), keyOf(other)));
  result.residue = commonResidue(residueOf(one), residueOf(other));
  return result;
}

std::uint64_t drawnBase(std::uint64_t instance, std::uint64_t number) { return mix(mix(kDrawn, instance), number); }

std::uint64_t argumentBase(std::uint32_t number) { return mix(kArgument, number); }

std::uint64_t boundedBase(const Value &value) {
  return mix(mix(kBounded, static_cast<std::uint64_t>(value.range.low)), keyOf(value));
}

std::uint64_t comparedBase(Operator op, bool isSigned, std::uint64_t left, std::uint64_t right) {
  return mix(mix(mix(kCompared, static_cast<std::uint64_t>(op) * 2 + isSigned), left), right);
}

void relateResult(Value &result, Operator op, IntegerType type, const Value &left, const Value &right) {
  if (isUnrelated(left) || isUnrelated(right))
    return relateToItself(result, 0);
  const bool exact = type.bits == 64 || fits(rangeOf(op, type, left.range, right.range, kInt64), type);
  // The base of a known number is 0, and a base may be any number: sums of bases say which unknowns are in it how
  // often.
  std::vector<Congruence> sums;
  Residue residue;
  if (op == Operator::Add || op == Operator::Subtract) {
    const std::int64_t sign = op == Operator::Add ? 1 : -1;
    for (const Congruence &first : sumsOf(left))
      for (const Congruence &second : sumsOf(right))
        sums.push_back(sumOf(first, sign, second));
    residue = sumOf(residueOf(left), sign, residueOf(right));
  } else if (std::optional<Scaled> scaled = scaledBy(op, type, left, right)) {
    for (const Congruence &sum : scaled->value->sums)
      sums.push_back(productOf(sum, scaled->factor));
    residue = productOf(scaled->value->residue, scaled->factor);
  }
  relateToItself(result, computedBase(op, type, left, right));
  if (exact && !sums.empty() && sums.front().bits == 64)
    result.sums = {sums.front()};
  keep(result, std::move(sums), residue, exact ? kInt64 : type);
}

} // namespace ptosync::replay
