// ScalarAlgebra: whose addresses are in a value, and where it leads as an address.
#include "ordering/scalar_value.h"

#include <algorithm>
#include <bit>

namespace ptosync {

using Wide = __int128;

namespace {

/// Which operators keep an address a term.
bool isLinear(Operator op, const ScalarValue &a, const ScalarValue &b) {
  switch (op) {
  case Operator::Add:
  case Operator::Subtract: return true;
  case Operator::Multiply: return a.isConstant() || b.isConstant();
  case Operator::ShiftLeft: return b.isConstant() && b.constant >= 0 && b.constant < 32;
  default: return false;
  }
}

/// A loop's counter has bounds if the number of its trips is known.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 40;

} // namespace

ArgumentSet ScalarAlgebra::addressTerms(const ScalarValue &value) const {
  ArgumentSet found = 0;
  for (const Term &term : value.terms)
    if (const Atom &atom = atoms[term.atom]; atom.pointer)
      found |= argumentBit(atom.number);
  return found;
}

ArgumentSet ScalarAlgebra::addressesIn(const ScalarValue &value) const {
  return value.addressed ? value.trace.made | addressTerms(value) : 0;
}

bool ScalarAlgebra::isRelative(const ScalarValue &value) const {
  if (!value.addressed)
    return true;
  std::int64_t times = 0;
  for (const Term &term : value.terms)
    if (atoms[term.atom].pointer)
      times = wrappedSum(times, term.coefficient);
  return times == 0 && (value.trace.made == 0 || value.trace.relative);
}

void ScalarAlgebra::traceFrom(ScalarValue &value, ArgumentSet addresses, bool relative) {
  value.trace.made |= addresses;
  value.trace.whole = false;
  value.trace.relative = relative && value.trace.made != 0;
  value.addressed = value.addressed || addresses != 0;
}

void ScalarAlgebra::traceSum(ScalarValue &sum, const ScalarValue &a, const ScalarValue &b, bool subtract) const {
  const bool first = a.trace.made != 0, second = b.trace.made != 0;
  sum.trace.made = a.trace.made | b.trace.made;
  // A choice of pointers and a number is such a choice.
  sum.trace.whole = (first && !second && a.trace.whole && !b.addressed) ||
                    (second && !first && b.trace.whole && !a.addressed && !subtract);
  sum.trace.relative = (first || second) && (!first || a.trace.relative) && (!second || b.trace.relative);
  sum.addressed = sum.trace.made != 0 || addressTerms(sum) != 0;
}

/// What is left of addresses and of far distances in `a op b`.
void ScalarAlgebra::traceResult(ScalarValue &result, Operator op, const ScalarValue &a, const ScalarValue &b) const {
  if (isComparison(op) || result.isConstant()) {
    result.trace = {};
    result.addressed = result.far = false;
    return;
  }
  if (isLinear(op, a, b))
    return; // `add` and `scale` have seen to it
  if (a.addressed || b.addressed)
    traceFrom(result, addressesIn(a) | addressesIn(b), isRelative(a) && isRelative(b));
  const bool shiftsFar = op == Operator::ShiftLeft && b.isConstant() && b.constant >= 0 && b.constant < 63 &&
                         std::int64_t{1} << b.constant >= largestTensor;
  result.far = result.far || ((isFar(a) || isFar(b) || shiftsFar) && isFar(result.interval));
}

void ScalarAlgebra::traceChoice(ScalarValue &value, const std::vector<const ScalarValue *> &among) const {
  ArgumentSet made = 0;
  bool whole = true, relative = true, far = false;
  for (const ScalarValue *one : among) {
    far = far || isFar(*one);
    made |= addressesIn(*one);
    relative = relative && isRelative(*one);
    const bool null = one->isConstant() && one->constant == 0;
    whole = whole && (null || pointsInto(*one) != 0);
  }
  value.trace.made |= made;
  value.trace.whole = whole && made != 0;
  value.trace.relative = relative && made != 0;
  value.addressed = value.addressed || made != 0;
  value.far = value.far || (far && isFar(value.interval));
}

/// The arguments of which the value is one's address and a number; none if it may be anything else.
ArgumentSet ScalarAlgebra::pointsInto(const ScalarValue &value) const {
  const ArgumentSet terms = addressTerms(value);
  if (value.trace.made != 0)
    return value.trace.whole && terms == 0 ? value.trace.made : 0;
  const bool once = std::all_of(value.terms.begin(), value.terms.end(),
                                [&](const Term &term) { return !atoms[term.atom].pointer || term.coefficient == 1; });
  return once && std::has_single_bit(terms) ? terms : 0;
}

bool ScalarAlgebra::isFar(Interval interval) const {
  return largestTensor != INT64_MAX && (interval.highest >= largestTensor || interval.lowest <= -largestTensor);
}

/// True if a number of the text that is beyond every tensor is in the value.
bool ScalarAlgebra::isFar(const ScalarValue &value) const {
  return value.far || isFar(Interval{value.constant, value.constant}) ||
         std::any_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
           const Atom &atom = atoms[term.atom];
           return !atom.pointer && (isFar(Interval{term.coefficient, term.coefficient}) ||
                                    (!atom.table.empty() && isFar(atom.interval)));
         });
}

/// The bounds that numbers of the text set; empty if what memory or the caller says, or the type alone, sets them.
std::optional<Interval> ScalarAlgebra::textBounds(const Atom &atom) const {
  switch (atom.kind) {
  case Atom::Kind::Choice:
  case Atom::Kind::Table: return atom.interval;
  case Atom::Kind::Counter: return atom.interval.highest < kMostCounted ? std::optional(atom.interval) : std::nullopt;
  case Atom::Kind::Argument: return std::nullopt;
  case Atom::Kind::Opaque: break;
  }
  if (atom.operands.empty())
    return std::nullopt;
  if (isComparison(atom.op))
    return Interval{0, 1};
  const ScalarValue &by = atom.operands[1];
  if (atom.op == Operator::Remainder && by.isConstant() && by.constant > 0)
    return atom.interval;
  if (atom.op == Operator::BitAnd && by.isConstant() && by.constant >= 0)
    return Interval{0, by.constant};
  return std::nullopt;
}

/// False if the address is, or by the text's own numbers may be, farther from `root` than a tensor is long; or is in
/// front of it for all that its terms may be.
bool ScalarAlgebra::staysNear(const ScalarValue &value, AtomId root) const {
  Wide low = value.constant, high = value.constant;
  bool bounded = value.modulus == 0;
  for (const Term &term : value.terms) {
    if (term.atom == root)
      continue;
    if (isFar(Interval{term.coefficient, term.coefficient}))
      return false;
    if (std::optional<Interval> bounds = textBounds(atoms[term.atom])) {
      auto [first, last] =
          std::minmax({Wide(term.coefficient) * bounds->lowest, Wide(term.coefficient) * bounds->highest});
      low += first;
      high += last;
    } else {
      bounded = false;
    }
  }
  const bool within = largestTensor == INT64_MAX || (high < largestTensor && low > -Wide(largestTensor));
  return within && !(bounded && high < 0);
}

/// The argument of a sum of one argument's address and numbers.
std::optional<AtomId> ScalarAlgebra::rootOf(const ScalarValue &value) const {
  if (!value.addressed || value.trace.made != 0)
    return std::nullopt;
  std::optional<AtomId> root;
  for (const Term &term : value.terms) {
    const Atom &atom = atoms[term.atom];
    if (!atom.pointer && !atom.wide)
      continue;
    if (atom.wide || root || term.coefficient != 1)
      return std::nullopt;
    root = term.atom;
  }
  return root;
}

std::optional<AtomId> ScalarAlgebra::pointerRoot(const ScalarValue &value) const {
  std::optional<AtomId> root = rootOf(value);
  return root && !value.far && staysNear(value, *root) ? root : std::nullopt;
}

bool ScalarAlgebra::addsDistance(const ScalarValue &a, const ScalarValue &b) const {
  auto counts = [&](const ScalarValue &value) {
    return std::any_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
      const Atom &atom = atoms[term.atom];
      return atom.kind == Atom::Kind::Argument && !atom.pointer && (term.coefficient == 1 || term.coefficient == -1) &&
             isFar(atom.interval);
    });
  };
  return (addressTerms(a) != 0 && counts(b)) || (addressTerms(b) != 0 && counts(a));
}

} // namespace ptosync
