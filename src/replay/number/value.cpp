#include "replay/number/value.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ptosync::replay {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9e3779b97f4a7c15ull + (b ^ (b >> 29)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

namespace {

constexpr std::size_t kMostPairs = 1 << 14; // of residues of two choices with one root

std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns true if the residues of one are known where those of the other one are.
bool oneRoot(const Choices &a, const Choices &b) {
  return a.values.size() == 1 || b.values.size() == 1 || (a.root == b.root && a.root != 0);
}

} // namespace

std::optional<Choices> remainders(std::uint64_t root, std::int64_t offset, std::int64_t count, bool bothSigns) {
  if (count < 2 || static_cast<std::uint64_t>(count) * (bothSigns ? 2 : 1) > kMostChoices)
    return std::nullopt;
  Choices choices;
  // Which sign it has, another number at some distance may have or not: it is a root of its own.
  choices.root = bothSigns && root != 0
                     ? mix(mix(root, static_cast<std::uint64_t>(offset)), static_cast<std::uint64_t>(count))
                     : root;
  const std::int64_t shift = (offset % count + count) % count;
  for (std::int64_t sign = 0; sign < (bothSigns ? 2 : 1); ++sign)
    for (std::int64_t residue = 0; residue < count; ++residue) {
      const std::int64_t value = (residue + shift) % count;
      choices.values.push_back(sign == 0 || value == 0 ? value : value - count);
    }
  return choices;
}

Choices changed(const Choices &choices, const std::function<std::int64_t(std::int64_t)> &change) {
  Choices result = choices;
  for (std::int64_t &value : result.values)
    value = change(value);
  return result;
}

std::optional<Choices> joined(const Choices &a, const Choices &b,
                              const std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)> &join) {
  const std::size_t count = std::lcm(a.values.size(), b.values.size());
  if (!oneRoot(a, b) || count > kMostChoices)
    return std::nullopt;
  Choices result;
  result.root = a.values.size() == 1 ? b.root : a.root;
  for (std::size_t residue = 0; residue < count; ++residue) {
    std::optional<std::int64_t> value = join(a.values[residue % a.values.size()], b.values[residue % b.values.size()]);
    if (!value)
      return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

std::optional<Choices> picked(const Choices &condition, const Choices &whenTrue, const Choices &whenFalse) {
  const std::size_t count =
      std::lcm(condition.values.size(), std::lcm(whenTrue.values.size(), whenFalse.values.size()));
  if (!oneRoot(condition, whenTrue) || !oneRoot(condition, whenFalse) || count > kMostChoices)
    return std::nullopt;
  Choices result;
  result.root = condition.root;
  for (std::size_t residue = 0; residue < count; ++residue) {
    const Choices &arm = condition.values[residue % condition.values.size()] != 0 ? whenTrue : whenFalse;
    result.values.push_back(arm.values[residue % arm.values.size()]);
  }
  return result;
}

bool anyPair(const Choices &a, const Choices &b, const std::function<bool(std::int64_t, std::int64_t)> &meet) {
  const std::size_t count = std::lcm(a.values.size(), b.values.size());
  if (oneRoot(a, b) && count <= kMostPairs) {
    for (std::size_t residue = 0; residue < count; ++residue)
      if (meet(a.values[residue % a.values.size()], b.values[residue % b.values.size()]))
        return true;
    return false;
  }
  const std::vector<std::int64_t> ofA = distinct(a.values), ofB = distinct(b.values);
  return std::any_of(ofA.begin(), ofA.end(), [&](std::int64_t first) {
    return std::any_of(ofB.begin(), ofB.end(), [&](std::int64_t second) { return meet(first, second); });
  });
}

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

/// Keeps what is left of `sums` and `residue` in a type, whose numbers are told apart by so many bits, beside what is
/// known.
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

/// Returns the residue of a number that has the one or the other.
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

namespace {

/// Compares numbers as described. Two comparisons of the same numbers share a root: a < b is what b <= a is not.
Choices comparison(Operator op, bool isSigned, const Value &first, const Value &second) {
  const bool swapped = op == Operator::Greater || op == Operator::LessEqual;
  const bool negated = op == Operator::NotEqual || op == Operator::GreaterEqual || op == Operator::LessEqual;
  std::uint64_t a = keyOf(swapped ? second : first), b = keyOf(swapped ? first : second);
  const bool equality = op == Operator::Equal || op == Operator::NotEqual;
  if (equality && b < a)
    std::swap(a, b);
  Choices choices;
  if (!isUnrelated(first) && !isUnrelated(second))
    choices.root = comparedBase(equality ? Operator::Equal : Operator::Less, equality || isSigned, a, b);
  choices.values = negated ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0, 1};
  return choices;
}

/// `value` % or & a known number.
std::optional<Choices> fewValues(Operator op, IntegerType operands, const Value &value, std::int64_t known) {
  if (value.origin != Origin::Unknown || known < 1 || known > kFewNumbers)
    return std::nullopt;
  if (op == Operator::Remainder)
    return residuesOf(value, known, operands.isSigned && value.range.low < 0);
  const auto count = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(known) + 1));
  std::optional<Choices> choices = residuesOf(value, count, false);
  if (choices)
    choices = changed(*choices, [&](std::int64_t one) { return one & known; });
  return choices;
}

} // namespace

std::optional<Choices> residuesOf(const Value &value, std::int64_t count, bool bothSigns) {
  const bool power = std::has_single_bit(static_cast<std::uint64_t>(count));
  const int bits = power ? std::countr_zero(static_cast<std::uint64_t>(count)) : 31; // no power: as if nothing wrapped
  Congruence by; // the one with the fewest bits that are enough is nearest to what was loaded
  for (const Congruence &sum : value.sums)
    if (sum.bits >= bits && (by.bits == 0 || sum.bits < by.bits))
      by = sum;
  std::optional<Choices> choices = remainders(by.root, by.offset, count, bothSigns);
  if (!choices || !power || value.residue.bits == 0)
    return choices;
  // Twice a number is even: the others are none that it can be.
  const std::int64_t known = (std::int64_t{1} << std::min<int>(bits, value.residue.bits)) - 1;
  const std::int64_t sure = value.residue.offset & known;
  for (std::int64_t &one : choices->values)
    if ((one & known) != sure)
      one = sure;
  return choices;
}

std::optional<Choices> choicesOf(const Value &value) {
  if (value.origin == Origin::Unknown)
    return std::nullopt;
  return value.choices ? *value.choices : Choices{0, {value.bits}};
}

Choices nonzero(const Value &value) {
  return value.choices ? changed(*value.choices, [](std::int64_t one) { return one != 0; })
                       : comparison(Operator::NotEqual, false, described(value), described({}));
}

std::optional<Choices> binaryChoices(Operator op, IntegerType operands, const Value &left, const Value &right) {
  const std::optional<Choices> a = choicesOf(left), b = choicesOf(right);
  if (a && b) {
    auto apply = [&](std::int64_t one, std::int64_t other) -> std::optional<std::int64_t> {
      std::int64_t result = 0;
      return applyOperator(op, operands, one, other, result) ? std::optional(result) : std::nullopt;
    };
    if (std::optional<Choices> choices = joined(*a, *b, apply))
      return choices;
  }
  std::optional<Choices> few;
  if (op == Operator::Remainder || op == Operator::BitAnd) {
    if (right.origin < Origin::Sampled)
      few = fewValues(op, operands, left, right.bits);
    else if (op == Operator::BitAnd && left.origin < Origin::Sampled)
      few = fewValues(op, operands, right, left.bits);
  }
  if (!few && isComparison(op)) {
    const Value first = described(left), second = described(right);
    if (std::optional<bool> sure = compared(op, operands, first.range, second.range))
      return Choices{0, {*sure}};
    return comparison(op, operands.isSigned, first, second);
  }
  return few;
}

void appendKey(const Value &value, std::vector<std::int64_t> &key) {
  key.push_back(value.bits);
  key.push_back(static_cast<std::int64_t>(value.origin) * 4 + (value.far ? 2 : 0) + (value.region.known() ? 1 : 0));
  if (value.origin == Origin::Unknown) {
    key.insert(key.end(), {value.residue.offset, value.residue.bits, value.range.low, value.range.high,
                           value.range.step, static_cast<std::int64_t>(value.sums.size())});
    for (const Congruence &sum : value.sums) {
      key.insert(key.end(), {static_cast<std::int64_t>(sum.root), sum.offset, sum.bits,
                             static_cast<std::int64_t>(sum.terms.size())});
      for (const Multiple &term : sum.terms)
        key.insert(key.end(), {static_cast<std::int64_t>(term.unknown), term.factor, term.range.low, term.range.high,
                               term.range.step});
    }
  }
  if (value.choices) {
    key.push_back(static_cast<std::int64_t>(value.choices->root));
    key.push_back(static_cast<std::int64_t>(value.choices->values.size()));
    key.insert(key.end(), value.choices->values.begin(), value.choices->values.end());
  }
  if (value.region.known())
    key.insert(key.end(), {value.region.ring(), value.region.isArgument()
                                                    ? value.region.argumentNumber()
                                                    : -1 - static_cast<std::int64_t>(value.region.spaceIndex())});
}

std::optional<Choices> fewBetweenBounds(const Value &value) {
  std::int64_t apart = 0;
  if (value.sums.empty() || __builtin_sub_overflow(value.range.high, value.range.low, &apart) ||
      apart / value.range.step >= kFewNumbers)
    return std::nullopt;
  Choices choices;
  choices.root = boundedBase(value);
  for (std::int64_t number = 0; number <= apart / value.range.step; ++number)
    choices.values.push_back(value.range.low + number * value.range.step);
  return choices;
}

namespace {

/// The address, whether memory decides it or not.
std::vector<Congruence> sumsOf(const Bytes &bytes, std::int64_t address) {
  return bytes.base() != 0 ? bytes.sums : std::vector<Congruence>{{0, address, 64, {}}};
}
Congruence residueOf(const Bytes &bytes, std::int64_t address) {
  return bytes.base() != 0 ? Congruence{0, bytes.residue.offset, bytes.residue.bits, {}}
                           : Congruence{0, address, 64, {}};
}

/// Returns false if the bytes meet at no distance from `from` to `to`, those of `a` minus those of `b`.
bool mayMeet(const Bytes &a, const Range &from, const Bytes &b, const Range &to) {
  return mayBeApart(to, from, 1 - a.footprint.extent(), b.footprint.extent() - 1);
}

/// Returns false if the steps and bounds of both leave no place where they meet.
bool meetInRange(const Bytes &a, std::int64_t ofA, const Bytes &b, std::int64_t ofB) {
  return mayMeet(a, a.base() != 0 ? a.range : Range{ofA, ofA}, b, b.base() != 0 ? b.range : Range{ofB, ofB});
}

/// Returns false if no number in the range, plus or minus a whole number of times 2^bits, is a distance of `a` from `b`
/// at which the bytes meet.
bool mayMeetAround(const Bytes &a, const Bytes &b, const Range &apart, std::uint8_t bits) {
  if (bits >= 63)
    return mayMeet(a, apart, b, {0, 0});
  const std::int64_t period = std::int64_t{1} << bits, low = apart.low & (period - 1);
  const std::uint64_t between = static_cast<std::uint64_t>(apart.high) - static_cast<std::uint64_t>(apart.low);
  if (between >= static_cast<std::uint64_t>(period) || a.footprint.extent() > period || b.footprint.extent() > period)
    return true;
  for (std::int64_t first : {low, low - period, low - 2 * period})
    if (between == 0 ? overlaps(a.footprint, b.footprint, first)
                     : mayMeet(a, {first, first + static_cast<std::int64_t>(between), apart.step}, b, {0, 0}))
      return true;
  return false;
}

/// Returns false if nothing that what they do not have in common may be makes the bytes meet.
bool mayMeet(const Bytes &a, const Congruence &ofA, const Bytes &b, const Congruence &ofB) {
  const std::uint8_t bits = std::min(ofA.bits, ofB.bits);
  const std::int64_t apart = wrappedDifference(ofA.offset, ofB.offset);
  if (bits == 0)
    return true;
  if (ofA.root == ofB.root)
    return mayMeetAround(a, b, {apart, apart}, bits);
  const Terms terms = differenceOf(ofA.terms, ofB.terms);
  const std::set<std::uint8_t> modulo = bitsThatLeaveOut(terms, bits);
  return std::all_of(modulo.begin(), modulo.end(),
                     [&](std::uint8_t some) { return mayMeetAround(a, b, rangeOf(terms, apart, some), some); });
}

/// The same for one of the addresses that each may have.
bool meetAt(const Bytes &a, std::int64_t ofA, const Bytes &b, std::int64_t ofB) {
  if (a.base() == b.base())
    return overlaps(a.footprint, b.footprint, wrappedDifference(ofA, ofB));
  if (!meetInRange(a, ofA, b, ofB) || !mayMeet(a, residueOf(a, ofA), b, residueOf(b, ofB)))
    return false;
  const std::vector<Congruence> sumsOfA = sumsOf(a, ofA), sumsOfB = sumsOf(b, ofB);
  return std::all_of(sumsOfA.begin(), sumsOfA.end(), [&](const Congruence &one) {
    return std::all_of(sumsOfB.begin(), sumsOfB.end(),
                       [&](const Congruence &other) { return mayMeet(a, one, b, other); });
  });
}

/// Whatever the unknown numbers are called, and hence in any order.
std::int64_t signatureOf(const Terms &terms) {
  std::uint64_t sum = 0;
  for (const Multiple &term : terms) {
    std::uint64_t hash = static_cast<std::uint64_t>(term.factor);
    for (std::int64_t number : {term.range.low, term.range.high, term.range.step})
      hash = mix(hash, static_cast<std::uint64_t>(number));
    sum += hash;
  }
  return static_cast<std::int64_t>(sum);
}

} // namespace

bool settleAddress(Bytes &bytes, const Value &address) {
  const bool unknown = address.origin == Origin::Unknown;
  if (unknown && address.sums.empty())
    return false;
  static_cast<Abstract &>(bytes) = unknown ? static_cast<const Abstract &>(address) : Abstract{};
  bytes.address = unknown ? address.offset() : address.bits;
  bytes.choices = address.choices ? std::optional(*address.choices) : std::nullopt;
  return true;
}

bool mayMeet(const Bytes &a, const Bytes &b, const Decided *decided) {
  auto open = [&](const Bytes &bytes) { return bytes.choices && !(decided && decided->has(*bytes.choices)); };
  if (!open(a) && !open(b))
    return meetAt(a, a.address, b, b.address);
  return anyPair(open(a) ? *a.choices : Choices{0, {a.address}}, open(b) ? *b.choices : Choices{0, {b.address}},
                 [&](std::int64_t ofA, std::int64_t ofB) { return meetAt(a, ofA, b, ofB); });
}

std::uint64_t signatureOf(const Bytes &bytes, bool withAddress, std::uint64_t hash) {
  auto add = [&](std::int64_t value) { hash = mix(hash, static_cast<std::uint64_t>(value)); };
  add(bytes.footprint.rows);
  add(bytes.footprint.rowBytes);
  add(bytes.footprint.stride);
  if (withAddress)
    add(bytes.address);
  // Where memory decides the address, what is known of it may be what keeps an iteration from meeting what another one
  // meets.
  if (bytes.base() != 0) {
    add(bytes.residue.offset);
    add(bytes.residue.bits);
    add(bytes.range.low);
    add(bytes.range.high);
    add(bytes.range.step);
    for (const Congruence &sum : bytes.sums) {
      add(sum.offset);
      add(sum.bits);
      add(signatureOf(sum.terms));
    }
  }
  if (bytes.choices)
    for (std::int64_t address : bytes.choices->values)
      add(address);
  return hash;
}

} // namespace ptosync::replay
