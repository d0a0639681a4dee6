#include "ordering/scalar_value.h"

#include "ordering/iteration_shape.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptosync {
namespace {

using Wide = __int128;

bool fits(const Interval &inner, const Interval &outer) {
  return inner.lowest >= outer.lowest && inner.highest <= outer.highest;
}

struct WideBounds {
  Wide low, high;
};

WideBounds boundsOfSum(const Interval &a, const Interval &b, bool subtract) {
  return {Wide(a.lowest) + (subtract ? -Wide(b.highest) : Wide(b.lowest)),
          Wide(a.highest) + (subtract ? -Wide(b.lowest) : Wide(b.highest))};
}

WideBounds boundsOfProduct(const Interval &a, std::int64_t factor) {
  auto [low, high] = std::minmax({Wide(a.lowest) * factor, Wide(a.highest) * factor});
  return {low, high};
}

Interval hullOf(const Interval &a, const Interval &b) {
  return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
}

/// Signed numbers of 64 bits do not overflow: what a sum or product would be beyond them it is not.
ScalarValue withoutOverflow(ScalarValue value, IntegerType type, const WideBounds &bounds) {
  bool possible = bounds.low <= INT64_MAX && bounds.high >= INT64_MIN;
  if (type.isSigned && type.bits == 64 && !value.isConstant() && possible)
    value.interval = {static_cast<std::int64_t>(std::max(bounds.low, Wide(INT64_MIN))),
                      static_cast<std::int64_t>(std::min(bounds.high, Wide(INT64_MAX)))};
  return value;
}

bool needMoreBits(const WideBounds &bounds) { return bounds.low < INT64_MIN || bounds.high > INT64_MAX; }

/// What is left of a modulus where the numbers may have wrapped at 64 bits.
std::uint64_t powerOfTwoIn(std::uint64_t modulus) { return modulus & (~modulus + 1); }

/// Brings the numbers of a value near 0: sums and differences of such never wrap at 64 bits, which would tell only of
/// moduli that are powers of two.
void centreNumbers(ScalarValue &value) {
  value.constant = centred(value.constant, value.modulus);
  for (Term &term : value.terms)
    term.coefficient = centred(term.coefficient, value.modulus);
  std::erase_if(value.terms, [](const Term &term) { return term.coefficient == 0; });
}

/// Something within the bounds; no two of them are known to be the same.
ScalarValue anyOf(IntegerType type, Interval interval) {
  ScalarValue value;
  value.type = type;
  value.modulus = 1;
  value.interval = interval;
  return value;
}

} // namespace

Interval clip(__int128 lowest, __int128 highest, IntegerType type) {
  if (lowest < INT64_MIN || highest > INT64_MAX)
    return intervalOf(type);
  return {static_cast<std::int64_t>(lowest), static_cast<std::int64_t>(highest)};
}

Interval intervalOf(IntegerType type) {
  if (type.bits == 0 || type.bits >= 64)
    return {};
  if (type.bits == 1)
    return {0, 1};
  std::int64_t half = std::int64_t{1} << (type.bits - 1);
  return type.isSigned ? Interval{-half, half - 1} : Interval{0, 2 * half - 1};
}

std::int64_t floorModulo(__int128 value, std::int64_t divisor) {
  __int128 rest = value % divisor;
  return static_cast<std::int64_t>(rest < 0 ? rest + divisor : rest);
}

bool isDetermined(const ScalarValue &value) {
  return value.modulus == 0 || Wide(value.interval.highest) - value.interval.lowest < Wide(value.modulus);
}

std::optional<std::int64_t> onlyValue(const ScalarValue &value, __int128 sum) {
  if (!isDetermined(value))
    return std::nullopt;
  Wide turn = value.modulus ? Wide(value.modulus) : Wide(1) << 64;
  Wide number = value.interval.lowest + (((sum - value.interval.lowest) % turn) + turn) % turn;
  return number <= value.interval.highest ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

bool wrapsAt(const ScalarValue &value, unsigned bits) {
  return value.modulus == 0 || (bits < 64 && value.modulus == std::uint64_t{1} << bits);
}

std::int64_t centred(std::int64_t value, std::uint64_t modulus) {
  if (modulus == 0)
    return value;
  auto size = static_cast<std::int64_t>(modulus);
  std::int64_t rest = floorModulo(value, size);
  return rest > size / 2 ? rest - size : rest;
}

/// Reduces to what `type` can hold: exactly if the value is certain to fit, else modulo 2^bits.
ScalarValue ScalarAlgebra::normalised(ScalarValue value, IntegerType type) const {
  value.type = type;
  if (type.bits == 0)
    return value;
  Interval range = intervalOf(type);
  if (type.bits < 64 && !fits(value.interval, range)) {
    if (value.terms.empty() && value.modulus == 0) {
      value.constant = wrapTo(type, value.constant);
      value.interval = {value.constant, value.constant};
      return value;
    }
    value.modulus = std::gcd(value.modulus, std::uint64_t{1} << type.bits);
    value.interval = range;
    if (value.addressed) // a part of an address is no place in what it leads to
      traceFrom(value, addressTerms(value), isRelative(value));
  }
  if (type.bits == 64 && !type.isSigned && value.interval.lowest < 0)
    value.interval = range;
  return value;
}

AtomId ScalarAlgebra::atom(Atom description) {
  auto [entry, inserted] = byKey.try_emplace(description.key, static_cast<AtomId>(atoms.size()));
  if (inserted)
    atoms.push_back(std::move(description));
  return entry->second;
}

ScalarValue ScalarAlgebra::constant(std::int64_t value, IntegerType type) const {
  ScalarValue result;
  result.constant = value;
  result.interval = {value, value};
  result.type = type;
  return result;
}

ScalarValue ScalarAlgebra::ofAtom(AtomId id, IntegerType type) const {
  ScalarValue result;
  result.terms.push_back({id, 1});
  result.interval = atoms[id].interval;
  result.type = type;
  result.addressed = atoms[id].pointer;
  return result;
}

ScalarValue ScalarAlgebra::opaque(std::string key, LoopId scope, IntegerType type, Interval interval) {
  Atom description;
  description.scope = scope;
  description.interval = interval;
  description.key = std::move(key);
  return ofAtom(atom(std::move(description)), type);
}

namespace {

void sortOnce(std::vector<std::int64_t> &values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The atom of a value that is one of several; `values` ascend, each once.
Atom choiceAtom(std::string key, LoopId scope, std::vector<std::int64_t> values) {
  Atom description;
  description.kind = Atom::Kind::Choice;
  description.scope = scope;
  description.interval = {values.front(), values.back()};
  description.key = std::move(key);
  for (std::int64_t value : values)
    description.key += "|" + std::to_string(value);
  description.table = std::move(values);
  return description;
}

} // namespace

ScalarValue ScalarAlgebra::choice(std::string key, LoopId scope, IntegerType type, std::vector<std::int64_t> values) {
  sortOnce(values);
  return values.size() == 1 ? constant(values[0], type)
                            : ofAtom(atom(choiceAtom(std::move(key), scope, std::move(values))), type);
}

ScalarValue ScalarAlgebra::table(LoopId scope, IntegerType type, std::vector<std::int64_t> values) {
  // The shortest period tells equal tables apart from merely equal-looking ones.
  for (std::size_t period = 1; period < values.size(); ++period) {
    if (values.size() % period)
      continue;
    bool repeats = true;
    for (std::size_t i = period; i < values.size() && repeats; ++i)
      repeats = values[i] == values[i - period];
    if (repeats) {
      values.resize(period);
      break;
    }
  }
  if (values.size() == 1)
    return constant(values[0], type);
  Atom description;
  description.kind = Atom::Kind::Table;
  description.scope = scope;
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  description.interval = {*low, *high};
  description.key = "table" + std::to_string(scope);
  for (std::int64_t value : values)
    description.key += "," + std::to_string(value);
  description.table = std::move(values);
  return ofAtom(atom(std::move(description)), type);
}

std::string ScalarAlgebra::keyOf(const ScalarValue &value) const {
  std::string key = std::to_string(value.constant);
  for (const Term &term : value.terms)
    key += "+" + std::to_string(term.coefficient) + "*a" + std::to_string(term.atom);
  return key + "%" + std::to_string(value.modulus) + (value.type.isSigned ? "i" : "u") +
         std::to_string(value.type.bits) + "[" + std::to_string(value.interval.lowest) + "," +
         std::to_string(value.interval.highest) + "]";
}

/// The innermost loop in which the value may change; `otherwise` if its atoms do not nest.
LoopId ScalarAlgebra::scopeOf(const ScalarValue &value, LoopId otherwise) const {
  LoopId scope = kNone;
  for (const Term &term : value.terms) {
    LoopId own = atoms[term.atom].scope;
    if (own == kNone || own == scope)
      continue;
    if (scope != kNone)
      return otherwise;
    scope = own;
  }
  return scope;
}

ScalarValue ScalarAlgebra::convert(ScalarValue value, IntegerType type) const {
  if (value.type == type)
    return value;
  return normalised(std::move(value), type);
}

ScalarValue ScalarAlgebra::add(const ScalarValue &a, const ScalarValue &b, bool subtract) const {
  ScalarValue result;
  result.type = a.type;
  std::int64_t sign = subtract ? -1 : 1;
  result.constant = wrappedSum(a.constant, sign, b.constant);
  result.modulus = std::gcd(a.modulus, b.modulus);
  std::size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    bool takeA = j >= b.terms.size() || (i < a.terms.size() && a.terms[i].atom < b.terms[j].atom);
    bool takeB = !takeA && (i >= a.terms.size() || b.terms[j].atom < a.terms[i].atom);
    if (takeA) {
      result.terms.push_back(a.terms[i++]);
    } else if (takeB) {
      result.terms.push_back({b.terms[j].atom, wrappedProduct(sign, b.terms[j].coefficient)});
      ++j;
    } else {
      std::int64_t sum = wrappedSum(a.terms[i].coefficient, sign, b.terms[j].coefficient);
      if (sum != 0)
        result.terms.push_back({a.terms[i].atom, sum});
      ++i;
      ++j;
    }
  }
  WideBounds bounds = boundsOfSum(a.interval, b.interval, subtract);
  result.interval = clip(bounds.low, bounds.high, {});
  if (result.modulus != powerOfTwoIn(result.modulus)) {
    if (needMoreBits(bounds))
      result.modulus = powerOfTwoIn(result.modulus);
    centreNumbers(result);
  }
  if (result.isConstant())
    result.interval = {result.constant, result.constant};
  result.far = a.far || b.far;
  if (a.addressed || b.addressed)
    traceSum(result, a, b, subtract);
  return result;
}

ScalarValue ScalarAlgebra::scale(const ScalarValue &a, std::int64_t factor) const {
  if (factor == 0)
    return constant(0, a.type);
  ScalarValue result = a;
  WideBounds bounds = boundsOfProduct(a.interval, factor);
  result.interval = clip(bounds.low, bounds.high, {});
  if (a.modulus) {
    // A multiple of modulus * factor is a multiple of the modulus too, should the product not fit.
    Wide product = Wide(a.modulus) * (factor < 0 ? -Wide(factor) : Wide(factor));
    bool small = product <= (Wide(1) << 61);
    result.modulus = small ? static_cast<std::uint64_t>(product) : a.modulus;
    if (!small || needMoreBits(bounds))
      result.modulus = powerOfTwoIn(result.modulus);
    if (result.modulus != powerOfTwoIn(result.modulus)) {
      // With numbers below the modulus none of the products needs more bits than it does.
      result.modulus = a.modulus;
      centreNumbers(result);
      result.modulus = static_cast<std::uint64_t>(product);
    }
  }
  result.constant = wrappedProduct(result.constant, factor);
  for (Term &term : result.terms)
    term.coefficient = wrappedProduct(term.coefficient, factor);
  std::erase_if(result.terms, [](const Term &term) { return term.coefficient == 0; });
  return result;
}

std::optional<bool> ScalarAlgebra::decided(const ScalarValue &condition) const {
  if (condition.isConstant())
    return condition.constant != 0;
  if (condition.interval.lowest > 0 || condition.interval.highest < 0)
    return true;
  return std::nullopt;
}

std::vector<std::int64_t> ScalarAlgebra::possibleValues(const ScalarValue &value) const {
  if (value.modulus)
    return {};
  std::vector<std::int64_t> values = {value.constant};
  for (const Term &term : value.terms) {
    const Atom &atom = atoms[term.atom];
    if (atom.kind != Atom::Kind::Choice && atom.kind != Atom::Kind::Table)
      return {};
    std::vector<std::int64_t> grown;
    for (std::int64_t base : values)
      for (std::int64_t entry : atom.table)
        grown.push_back(wrappedSum(base, term.coefficient, entry));
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    if (grown.size() > kMostChoices)
      return {};
    values = std::move(grown);
  }
  return values;
}

bool ScalarAlgebra::isExactSum(const ScalarValue &value) const {
  if (value.modulus != 0)
    return false;
  constexpr Wide kVast = Wide(1) << 100;
  WideBounds sum{value.constant, value.constant};
  for (const Term &term : value.terms) {
    WideBounds part = boundsOfProduct(atoms[term.atom].interval, term.coefficient);
    sum.low = std::max(sum.low + part.low, -kVast);
    sum.high = std::min(sum.high + part.high, kVast);
  }
  return !needMoreBits(sum);
}

/// `a % divisor` of a value that grows by a fixed step per iteration repeats.
ScalarValue ScalarAlgebra::remainder(IntegerType type, const ScalarValue &a, std::int64_t divisor, LoopId scope) {
  Interval range = a.interval.lowest >= 0 ? Interval{0, divisor - 1} : Interval{1 - divisor, divisor - 1};
  auto unknown = [&] {
    if (!isDetermined(a))
      return anyOf(type, range);
    ScalarValue by = constant(divisor, a.type);
    std::optional<ScalarValue> repeating = stepped(Operator::Remainder, type, a, by);
    return repeating ? *repeating : result(Operator::Remainder, type, a, by, scope, range);
  };
  bool divides = a.modulus == 0 ? isExactSum(a) : a.modulus % static_cast<std::uint64_t>(divisor) == 0;
  if (a.interval.lowest < 0 || !divides)
    return unknown();
  LoopId loop = kNone;
  std::size_t period = 1;
  for (const Term &term : a.terms) {
    if (term.coefficient % divisor == 0)
      continue; // (i * 3 + j) % 3 is j % 3
    const Atom &entry = atoms[term.atom];
    bool counter = entry.kind == Atom::Kind::Counter, stepped = entry.kind == Atom::Kind::Table;
    if ((!counter && !stepped) || entry.scope == kNone || (loop != kNone && entry.scope != loop))
      return unknown();
    loop = entry.scope;
    std::int64_t step = floorModulo(term.coefficient, divisor);
    std::size_t own = counter ? static_cast<std::size_t>(divisor / std::gcd(divisor, step == 0 ? divisor : step))
                              : entry.table.size();
    if (own > kLongestTable)
      return unknown();
    period = std::lcm(period, own);
  }
  if (loop == kNone)
    return a.terms.empty() ? unknown() : constant(floorModulo(a.constant, divisor), type);
  if (period > kLongestTable)
    return unknown();
  std::vector<std::int64_t> values(period);
  for (std::size_t step = 0; step < period; ++step) {
    Wide value = a.constant;
    for (const Term &term : a.terms) {
      const Atom &entry = atoms[term.atom];
      if (term.coefficient % divisor == 0)
        continue;
      value += Wide(term.coefficient) *
               (entry.kind == Atom::Kind::Counter ? Wide(step) : Wide(entry.table[step % entry.table.size()]));
    }
    values[step] = floorModulo(value, divisor);
  }
  return table(loop, type, std::move(values));
}

ScalarValue ScalarAlgebra::apply(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b,
                                 LoopId scope) {
  ScalarValue result = computed(op, type, a, b, scope);
  traceResult(result, op, a, b);
  return result;
}

ScalarValue ScalarAlgebra::computed(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b,
                                    LoopId scope) {
  if (a.isConstant() && b.isConstant()) {
    std::int64_t result = 0;
    if (applyOperator(op, a.type, a.constant, b.constant, result))
      return constant(result, type);
  }
  switch (op) {
  case Operator::Add:
  case Operator::Subtract: {
    bool subtract = op == Operator::Subtract;
    WideBounds bounds = boundsOfSum(a.interval, b.interval, subtract);
    return normalised(withoutOverflow(add(a, b, subtract), type, bounds), type);
  }
  case Operator::Multiply:
    if (a.isConstant() || b.isConstant()) {
      const ScalarValue &factor = b.isConstant() ? b : a, &other = b.isConstant() ? a : b;
      WideBounds bounds = boundsOfProduct(other.interval, factor.constant);
      return normalised(withoutOverflow(scale(other, factor.constant), type, bounds), type);
    }
    break;
  case Operator::ShiftLeft:
    if (b.isConstant() && b.constant >= 0 && b.constant < 32)
      return normalised(scale(a, std::int64_t{1} << b.constant), type);
    break;
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::Less:
  case Operator::LessEqual:
  case Operator::Greater:
  case Operator::GreaterEqual:
    if (std::optional<ScalarValue> known = compare(op, a, b))
      return *known;
    break;
  default: break;
  }
  if (std::optional<ScalarValue> stepped = tabulate(op, type, a, b))
    return *stepped;
  if (std::optional<ScalarValue> flipped = ofBoolean(op, a, b))
    return *flipped;
  if (std::optional<ScalarValue> chosen = enumerateChoice(op, type, a, b, scope))
    return *chosen;
  if (op == Operator::Remainder && b.isConstant() && b.constant > 0)
    return remainder(type, a, b.constant, scope);
  Interval interval = intervalOf(type);
  if (op == Operator::Divide && b.isConstant() && b.constant > 0 && a.interval.lowest >= 0)
    interval = {a.interval.lowest / b.constant, a.interval.highest / b.constant};
  if (!isDetermined(a) || !isDetermined(b))
    return anyOf(type, interval);
  if (std::optional<ScalarValue> repeating = stepped(op, type, a, b))
    return *repeating;
  return result(op, type, a, b, scope, interval);
}

/// The atom of an operator's result.
ScalarValue ScalarAlgebra::result(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b,
                                  LoopId scope, Interval interval) {
  LoopId own = scopeOf(a, scope) == scopeOf(b, scope) || scopeOf(b, scope) == kNone ? scopeOf(a, scope)
               : scopeOf(a, scope) == kNone                                         ? scopeOf(b, scope)
                                                                                    : scope;
  Atom description;
  description.scope = own;
  description.interval = interval;
  description.key = std::string(operatorSpelling(op)) + keyOf(a) + "," + keyOf(b) + "@" + std::to_string(own);
  description.op = op;
  description.operands = {a, b};
  description.iterations = followsIterations(a) && followsIterations(b);
  return ofAtom(atom(std::move(description)), type);
}

/// True if the value is exact and made of loops' counters and tables alone.
bool ScalarAlgebra::followsIterations(const ScalarValue &value) const {
  return value.modulus == 0 && std::all_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
           const Atom &atom = atoms[term.atom];
           bool steps = atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table;
           return (steps && atom.scope != kNone) || atom.iterations;
         });
}

/// A result that repeats with the iterations of one loop from the first one on is a table.
std::optional<ScalarValue> ScalarAlgebra::stepped(Operator op, IntegerType type, const ScalarValue &a,
                                                  const ScalarValue &b) {
  if (!followsIterations(a) || !followsIterations(b))
    return std::nullopt;
  IterationShapes shapes(*this);
  std::set<LoopId> loops;
  shapes.addLoops(a, loops);
  shapes.addLoops(b, loops);
  if (loops.size() != 1)
    return std::nullopt;
  std::optional<IterationShape> shape = shapes.shape(op, a, b, *loops.begin());
  if (!shape || !shape->repeats() || shape->prefix != 0)
    return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::int64_t step = 0; step < shape->period; ++step) {
    auto iteration = [&](LoopId) { return std::optional(step); };
    std::optional<std::int64_t> x = shapes.evaluate(a, iteration), y = shapes.evaluate(b, iteration);
    std::int64_t value = 0;
    if (!x || !y || !applyOperator(op, a.type, *x, *y, value))
      return std::nullopt;
    values.push_back(value);
  }
  return table(*loops.begin(), type, std::move(values));
}

ScalarValue ScalarAlgebra::select(const ScalarValue &condition, const ScalarValue &whenTrue,
                                  const ScalarValue &whenFalse, LoopId scope) {
  if (std::optional<bool> truth = decided(condition))
    return *truth ? whenTrue : whenFalse;
  if (whenTrue == whenFalse)
    return whenTrue;
  ScalarValue result = chosen(condition, whenTrue, whenFalse, scope);
  traceChoice(result, {&whenTrue, &whenFalse});
  return result;
}

ScalarValue ScalarAlgebra::chosen(const ScalarValue &condition, const ScalarValue &whenTrue,
                                  const ScalarValue &whenFalse, LoopId scope) {
  // cond * (t - f) + f, stepped through where all three are tables of one loop.
  ScalarValue difference = add(whenTrue, whenFalse, true);
  ScalarValue weight = condition;
  weight.type = whenTrue.type;
  difference.type = whenTrue.type;
  bool truth = condition.interval.lowest >= 0 && condition.interval.highest <= 1;
  bool stepped = truth && condition.modulus == 0 && !condition.terms.empty() &&
                 atoms[condition.terms[0].atom].kind == Atom::Kind::Table;
  if (stepped)
    if (std::optional<ScalarValue> product = tabulate(Operator::Multiply, whenTrue.type, weight, difference))
      if (std::optional<ScalarValue> sum = tabulate(Operator::Add, whenTrue.type, *product, whenFalse))
        return *sum;
  if (!isDetermined(condition) || !isDetermined(whenTrue) || !isDetermined(whenFalse))
    return anyOf(whenTrue.type, hullOf(whenTrue.interval, whenFalse.interval));
  std::string key =
      "?" + keyOf(condition) + "," + keyOf(whenTrue) + "," + keyOf(whenFalse) + "@" + std::to_string(scope);
  std::vector<std::int64_t> values = possibleValues(whenTrue), others = possibleValues(whenFalse);
  if (!values.empty() && !others.empty() && values.size() + others.size() <= kMostChoices) {
    values.insert(values.end(), others.begin(), others.end());
    return choice(std::move(key), scope, whenTrue.type, std::move(values));
  }
  return opaque(std::move(key), scope, whenTrue.type, chosenBounds(condition, whenTrue, whenFalse));
}

/// `a < b ? b : a` is the larger one, `a < b ? a : b` the smaller.
Interval ScalarAlgebra::chosenBounds(const ScalarValue &condition, const ScalarValue &whenTrue,
                                     const ScalarValue &whenFalse) const {
  const Interval &one = whenTrue.interval, &other = whenFalse.interval;
  Interval hull = hullOf(one, other);
  std::optional<ScalarComparison> test = comparisonOf(condition);
  bool ordered = test && (test->op == Operator::Less || test->op == Operator::LessEqual);
  // As unsigned numbers of 64 bits negative ones are large.
  bool asBounded = whenTrue.type.isSigned || whenTrue.type.bits < 64 || hull.lowest >= 0;
  if (!ordered || !asBounded)
    return hull;
  if (test->left == whenFalse && test->right == whenTrue)
    hull.lowest = std::max(one.lowest, other.lowest);
  if (test->left == whenTrue && test->right == whenFalse)
    hull.highest = std::min(one.highest, other.highest);
  return hull;
}

std::string ScalarAlgebra::describe(const ScalarValue &value) const {
  std::string text = std::to_string(value.constant);
  for (const Term &term : value.terms)
    text += " + " + std::to_string(term.coefficient) + "*" + atoms[term.atom].key;
  if (value.modulus)
    text += " mod " + std::to_string(value.modulus);
  return text;
}

// ScalarAlgebra: results of values that are one of a few, or step through a table.

/// Both sides step through tables of one loop: so does the result.
std::optional<ScalarValue> ScalarAlgebra::tabulate(Operator op, IntegerType type, const ScalarValue &a,
                                                   const ScalarValue &b) {
  LoopId loop = kNone;
  std::size_t period = 1;
  for (const ScalarValue *side : {&a, &b}) {
    if (side->modulus)
      return std::nullopt;
    for (const Term &term : side->terms) {
      const Atom &entry = atoms[term.atom];
      if (entry.kind != Atom::Kind::Table || entry.scope == kNone || (loop != kNone && entry.scope != loop))
        return std::nullopt;
      loop = entry.scope;
      period = std::lcm(period, entry.table.size());
    }
  }
  if (loop == kNone || period > kLongestTable)
    return std::nullopt;
  auto at = [&](const ScalarValue &side, std::size_t step) {
    std::int64_t value = side.constant;
    for (const Term &term : side.terms)
      value = wrappedSum(value, term.coefficient, atoms[term.atom].table[step % atoms[term.atom].table.size()]);
    return value;
  };
  std::vector<std::int64_t> values(period);
  for (std::size_t step = 0; step < period; ++step)
    if (!applyOperator(op, a.type, at(a, step), at(b, step), values[step]))
      return std::nullopt;
  return table(loop, type, std::move(values));
}

/// One choice decides both sides.
std::optional<ScalarValue> ScalarAlgebra::enumerateChoice(Operator op, IntegerType type, const ScalarValue &a,
                                                          const ScalarValue &b, LoopId scope) {
  std::vector<std::int64_t> left = possibleValues(a), right = possibleValues(b);
  if (left.empty() || right.empty() || left.size() * right.size() > kMostChoices)
    return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::int64_t x : left)
    for (std::int64_t y : right) {
      std::int64_t result = 0;
      if (!applyOperator(op, a.type, x, y, result))
        return std::nullopt;
      values.push_back(result);
    }
  std::string key = std::string("choice") + operatorSpelling(op) + keyOf(a) + "," + keyOf(b) + "@";
  LoopId own = std::max(scopeOf(a, scope) + 1, scopeOf(b, scope) + 1) - 1; // kNone + 1 is 0
  if (scopeOf(a, scope) != kNone && scopeOf(b, scope) != kNone && scopeOf(a, scope) != scopeOf(b, scope))
    own = scope;
  sortOnce(values);
  if (values.size() == 1)
    return constant(values[0], type);
  Atom description = choiceAtom(key + std::to_string(own), own, std::move(values));
  description.op = op;
  description.operands = {a, b};
  description.iterations = followsIterations(a) && followsIterations(b);
  return ofAtom(atom(std::move(description)), type);
}

// ScalarAlgebra: comparisons, and conditions compared with a truth value.

using Wide = __int128;

namespace {

Operator opposite(Operator op) {
  switch (op) {
  case Operator::Equal: return Operator::NotEqual;
  case Operator::NotEqual: return Operator::Equal;
  case Operator::Less: return Operator::GreaterEqual;
  case Operator::LessEqual: return Operator::Greater;
  case Operator::Greater: return Operator::LessEqual;
  default: return Operator::Less;
  }
}

} // namespace

/// The left side less the right one.
struct ScalarAlgebra::Gap {
  Wide lowest, highest;
  bool mayBeZero = true;
};

/// By the bounds of both sides; where their terms are those of an assumption, by that; and where they cancel, it is one
/// of the numbers that are a modulus apart.
ScalarAlgebra::Gap ScalarAlgebra::gapBetween(const ScalarValue &a, const ScalarValue &b) const {
  Gap gap{Wide(a.interval.lowest) - b.interval.highest, Wide(a.interval.highest) - b.interval.lowest};
  ScalarValue difference = add(a, b, true);
  if (!difference.terms.empty()) {
    if (isExactSum(a) && isExactSum(b))
      for (const auto &[sum, bounds] : assumed)
        for (bool turned : {false, true})
          if (difference.terms == (turned ? scale(sum, -1) : sum).terms) {
            const Wide low = turned ? -Wide(bounds.highest) : Wide(bounds.lowest),
                       high = turned ? -Wide(bounds.lowest) : Wide(bounds.highest);
            gap.lowest = std::max(gap.lowest, low + difference.constant);
            gap.highest = std::min(gap.highest, high + difference.constant);
          }
    return gap;
  }
  Wide turn = difference.modulus ? Wide(difference.modulus) : Wide(1) << 64;
  auto above = [&](Wide number) { return (((difference.constant - number) % turn) + turn) % turn; };
  gap.mayBeZero = above(0) == 0;
  Wide lowest = gap.lowest + above(gap.lowest), highest = gap.highest - (turn - above(gap.highest)) % turn;
  if (lowest <= highest) { // else nobody gets here
    gap.lowest = lowest;
    gap.highest = highest;
  }
  return gap;
}

std::optional<ScalarValue> ScalarAlgebra::compare(Operator op, const ScalarValue &a, const ScalarValue &b) const {
  // Unsigned 64-bit values are compared as signed ones only where both are known not negative.
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  bool wideUnsigned = !a.type.isSigned && a.type.bits == 64;
  if (!equality && wideUnsigned && (a.interval.lowest < 0 || b.interval.lowest < 0))
    return std::nullopt;
  Gap gap = gapBetween(a, b);
  auto truth = [&](bool value) { return constant(value, kBoolean); };
  bool below = gap.highest < 0, above = gap.lowest > 0, equal = gap.lowest == 0 && gap.highest == 0;
  bool apart = below || above || !gap.mayBeZero;
  switch (op) {
  case Operator::Equal:
  case Operator::NotEqual:
    if (apart || equal)
      return truth(equal == (op == Operator::Equal));
    break;
  case Operator::Less:
  case Operator::GreaterEqual:
    if (below || gap.lowest >= 0)
      return truth(below == (op == Operator::Less));
    break;
  case Operator::LessEqual:
  case Operator::Greater:
    if (above || gap.highest <= 0)
      return truth(above == (op == Operator::Greater));
    break;
  default: break;
  }
  return std::nullopt;
}

std::optional<bool> ScalarAlgebra::decided(const ScalarComparison &comparison) const {
  std::optional<ScalarValue> outcome = compare(comparison.op, comparison.left, comparison.right);
  return outcome ? decided(*outcome) : std::nullopt;
}

std::optional<ScalarComparison> ScalarAlgebra::comparisonOf(const ScalarValue &condition) const {
  if (condition.modulus != 0 || condition.terms.size() != 1)
    return std::nullopt;
  const Atom &atom = atoms[condition.terms[0].atom];
  bool plain = condition.constant == 0 && condition.terms[0].coefficient == 1;
  bool negated = condition.constant == 1 && condition.terms[0].coefficient == -1;
  if (atom.operands.empty() || !isComparison(atom.op) || (!plain && !negated))
    return std::nullopt;
  ScalarComparison comparison{negated ? opposite(atom.op) : atom.op, atom.operands[0], atom.operands[1]};
  if (comparison.op == Operator::Greater || comparison.op == Operator::GreaterEqual) {
    std::swap(comparison.left, comparison.right);
    comparison.op = comparison.op == Operator::Greater ? Operator::Less : Operator::LessEqual;
  }
  return comparison;
}

/// `!x` and its like of a value that is 0 or 1: a sum with that value, not a new atom.
std::optional<ScalarValue> ScalarAlgebra::ofBoolean(Operator op, const ScalarValue &a, const ScalarValue &b) const {
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  bool truth = a.modulus == 0 && a.interval.lowest >= 0 && a.interval.highest <= 1;
  if (!equality || !truth || !b.isConstant() || (b.constant != 0 && b.constant != 1))
    return std::nullopt;
  ScalarValue value = a;
  if ((op == Operator::Equal) == (b.constant == 0))
    value = add(constant(1, a.type), a, true);
  value.type = kBoolean;
  return value;
}

} // namespace ptosync
