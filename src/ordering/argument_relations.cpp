#include "ordering/argument_relations.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace ptosync {
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
