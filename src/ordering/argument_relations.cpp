// ScalarAlgebra: whose addresses are in a value, and where it leads as an address.
#include "ordering/argument_relations.h"

#include "ordering/scalar_value.h"

#include <algorithm>
#include <bit>
#include <vector>

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

namespace {

/// Finds the expressions that may relate arguments, without regard to the order of statements: few kernels have any.
class Candidates {
public:
  explicit Candidates(const Kernel &kernel)
      : kernel(kernel), inVariable(kernel.variables.size(), false), inExpression(kernel.expressions.size(), false),
        holds(kernel.expressions.size(), false) {
    do {
      changed = false;
      for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
        inExpression[id] = carries(kernel.expressions[id]);
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          flow(statement);
    } while (changed);
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id) {
      const Expression &e = kernel.expressions[id];
      holds[id] = isCandidate(e) || std::any_of(e.operands.begin(), e.operands.end(),
                                                [&](ExpressionId one) { return one != kNone && holds[one]; });
    }
  }

  /// True if the expression, or one inside it, may relate arguments.
  bool within(ExpressionId id) const { return id != kNone && holds[id]; }
  bool any() const { return std::find(holds.begin(), holds.end(), true) != holds.end() || unknownIndex; }
  bool carriesAddress(ExpressionId id) const { return inExpression[id]; }

  bool isCandidate(const Expression &e) const {
    auto in = [&](int i) { return inExpression[e.operands[i]]; };
    if (e.kind == Expression::Kind::ArrayElement)
      return in(0);
    return e.kind == Expression::Kind::Binary && (isComparison(e.op) ? in(0) || in(1) : in(0) && in(1));
  }

private:
  bool carries(const Expression &e) const {
    auto in = [&](int i) { return inExpression[e.operands[i]]; };
    switch (e.kind) {
    case Expression::Kind::Parameter: return e.sense == Expression::Sense::Pointer;
    case Expression::Kind::Variable: return inVariable[e.variable];
    case Expression::Kind::Unary:
    case Expression::Kind::Cast: return in(0);
    case Expression::Kind::Binary: return !isComparison(e.op) && (in(0) || in(1));
    case Expression::Kind::Select: return in(1) || in(2);
    case Expression::Kind::ArrayElement:
      for (std::uint32_t i = 0; i < e.count; ++i)
        if (inVariable[e.variable + i])
          return true;
      return false;
    case Expression::Kind::Opaque: return !kernel.escaped.empty();
    default: return false;
    }
  }

  void mark(VariableId variable, bool carried) {
    changed = changed || (carried && !inVariable[variable]);
    inVariable[variable] = inVariable[variable] || carried;
  }

  void flow(const Statement &statement) {
    forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
      unknownIndex = unknownIndex || (index != kNone && inExpression[index]);
      mark(variable, inExpression[value]);
    });
    if (auto *instruction = std::get_if<Instruction>(&statement.action)) {
      for (VariableId result : instruction->results)
        mark(result, !kernel.escaped.empty());
    }
  }

  const Kernel &kernel;
  std::vector<bool> inVariable, inExpression; // an address may be in it
  std::vector<bool> holds;                    // a candidate is in it
  bool changed = false, unknownIndex = false;
};

class Finder {
public:
  Finder(const Kernel &kernel, ScalarAnalysis &scalars, const Candidates &candidates, ArgumentSet all,
         ArgumentRelations &found)
      : kernel(kernel), scalars(scalars), candidates(candidates), all(all), found(found) {}

  void find() {
    scalars.forEachStatement([&](BlockId block, std::size_t index) {
      const Block &own = kernel.blocks[block];
      if (index == own.statements.size())
        return visit(own.terminator.condition);
      const Statement &statement = own.statements[index];
      forEachValue(statement, [&](ExpressionId value) { visit(value); });
      if (const auto *store = std::get_if<ArrayStore>(&statement.action);
          store && candidates.carriesAddress(store->index))
        relateIndex(store->index);
    });
  }

private:
  void visit(ExpressionId id) {
    if (!candidates.within(id))
      return;
    const Expression &e = kernel.expressions[id];
    for (ExpressionId operand : e.operands)
      visit(operand);
    if (!candidates.isCandidate(e))
      return;
    if (e.kind == Expression::Kind::ArrayElement)
      relateIndex(e.operands[0]);
    else if (isComparison(e.op))
      relateCompared(e, scalars.value(e.operands[0]), scalars.value(e.operands[1]));
    else
      found.relate(in(scalars.value(e.operands[0])), in(scalars.value(e.operands[1])));
  }

  ArgumentSet in(const ScalarValue &value) const { return scalars.algebra().addressesIn(value) & ~kOutside; }

  /// Which element is meant may say what the address is.
  void relateIndex(ExpressionId index) { found.relate(in(scalars.value(index)), all); }

  void relateCompared(const Expression &e, const ScalarValue &left, const ScalarValue &right) {
    ArgumentSet first = in(left), second = in(right);
    const ArgumentSet into = scalars.algebra().pointsInto(left);
    if (std::has_single_bit(into) && into != argumentBit(~0u) && into == scalars.algebra().pointsInto(right))
      return; // two places in what one of them points to
    const bool sums = left.trace.made == 0 && right.trace.made == 0;
    if (sums) { // only what the two sides do not have in common is compared
      first = in(scalars.algebra().add(left, right, /*subtract=*/true));
      second = 0;
    }
    const ArgumentSet both = first | second;
    if (both == 0 || asksForNull(e, left, right))
      return;
    found.relate(both, both);
    // An address that is compared with what is no address may be told bit by bit.
    const bool relative = scalars.algebra().isRelative(left) && scalars.algebra().isRelative(right);
    const bool withAddress = sums ? !std::has_single_bit(both) : first != 0 && second != 0;
    if (!relative && (!withAddress || std::has_single_bit(both)))
      found.relate(both, all);
  }

  /// True for a test of a whole pointer, whichever argument's: it says nothing about where that is.
  bool asksForNull(const Expression &e, const ScalarValue &left, const ScalarValue &right) const {
    auto null = [](const ScalarValue &value) { return value.isConstant() && value.constant == 0; };
    const ScalarValue &tested = null(right) ? left : right;
    if ((e.op != Operator::Equal && e.op != Operator::NotEqual) || !(null(left) || null(right)))
      return false;
    if (tested.trace.made != 0)
      return tested.trace.whole && scalars.algebra().addressTerms(tested) == 0;
    const bool itself = tested.terms.size() == 1 && tested.terms[0].coefficient == 1 && tested.constant == 0;
    return itself ||
           (e.sense == Expression::Sense::NullTest && std::has_single_bit(scalars.algebra().addressTerms(tested)));
  }

  const Kernel &kernel;
  ScalarAnalysis &scalars;
  const Candidates &candidates;
  const ArgumentSet all; // the pointer arguments
  ArgumentRelations &found;
};

} // namespace

void ArgumentRelations::relate(ArgumentSet some, ArgumentSet others) {
  for (ArgumentSet rest = some; rest != 0; rest &= rest - 1) {
    const ArgumentSet one = rest & (~rest + 1);
    // One bit may stand for several arguments: those may be two of them.
    with[std::countr_zero(one)] |= others & (one == argumentBit(~0u) ? ~ArgumentSet{0} : ~one);
    for (ArgumentSet more = others & ~one; more != 0; more &= more - 1)
      with[std::countr_zero(more)] |= one;
  }
}

bool ArgumentRelations::any() const {
  return std::any_of(with.begin(), with.end(), [](ArgumentSet others) { return others != 0; });
}

ArgumentRelations relationsOf(const Kernel &kernel, ScalarAnalysis &scalars) {
  ArgumentRelations relations;
  for (const auto &[one, other] : kernel.related)
    relations.relate(argumentBit(one), argumentBit(other));
  const std::set<std::uint32_t> pointers = pointerArguments(kernel);
  if (pointers.size() < 2)
    return relations;
  ArgumentSet all = 0;
  for (std::uint32_t argument : pointers)
    all |= argumentBit(argument);
  const Candidates candidates(kernel);
  if (candidates.any())
    Finder(kernel, scalars, candidates, all, relations).find();
  return relations;
}

} // namespace ptosync
