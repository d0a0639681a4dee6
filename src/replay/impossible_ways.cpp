#include "replay/impossible_ways.h"

#include "replay/contraction.h"
#include "replay/control_dependence.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kMostIterations = std::int64_t{1} << 30;
constexpr int kDeepestResolution = 64;
constexpr std::size_t kLargestGraph = 20000;

/// Where a variable is assigned.
struct Assignments {
  std::size_t count = 0;
  std::vector<std::pair<BlockId, ExpressionId>> values; // kNone: by an instruction, or in an array
};

/// Writes conditions down with what their variables were assigned.
class Resolver {
public:
  explicit Resolver(Subject &subject)
      : subject(subject), kernel(subject.kernel), assigned(kernel.variables.size()), carried(kernel.variables.size()) {
    for (BlockId block = 0; block < kernel.blocks.size(); ++block)
      for (const Statement &statement : kernel.blocks[block].statements)
        collect(block, statement);
    for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop)
      for (VariableId variable : subject.carried(loop))
        carried[variable] = true;
  }

  /// `place` tells apart what a variable that changes is at different times: one for each statement that reads it.
  Derived resolve(ExpressionId id, std::uint64_t place, int depth = 0) {
    if (id == kNone || depth > kDeepestResolution || derivation.size() > kLargestGraph)
      return unknown({64, true}, mix(place, ++unknowns));
    const Expression &e = kernel.expressions[id];
    auto operand = [&](int i) { return resolve(e.operands[static_cast<std::size_t>(i)], place, depth + 1); };
    auto type = [&](int i) { return kernel.expressions[e.operands[static_cast<std::size_t>(i)]].type; };
    switch (e.kind) {
    case Expression::Kind::Constant: return {e.constant, 0};
    case Expression::Kind::Variable: return variable(e.variable, place, depth);
    case Expression::Kind::Unary: {
      const Derived value = operand(0);
      return once(shapeOf(e, e.type, value), [&] { return derivation.unary(e.op, e.type, value); });
    }
    case Expression::Kind::Binary: {
      const Derived left = operand(0), right = operand(1);
      return once(shapeOf(e, type(0), left, right),
                  [&] { return withRemainders(derivation.binary(e.op, type(0), e.type, left, right, 0)); });
    }
    case Expression::Kind::Cast: {
      const Derived value = operand(0);
      if (e.type.bits == 0)
        return unknown(e.type, mix(place, id));
      return once(shapeOf(e, type(0), value), [&] { return derivation.converted(value, type(0), e.type); });
    }
    case Expression::Kind::Select: {
      const Derived condition = operand(0), whenTrue = operand(1), whenFalse = operand(2);
      return once(shapeOf(e, type(0), condition, whenTrue, whenFalse),
                  [&] { return derivation.select(condition, whenTrue, whenFalse); });
    }
    case Expression::Kind::Parameter:
      if (subject.facts.pointerArguments.count(static_cast<std::uint32_t>(e.constant)))
        return {addressOfArgument(static_cast<std::uint32_t>(e.constant)), 0};
      return derivation.source({Source::Kind::Argument, static_cast<std::uint64_t>(e.constant), {}, e.type}, 0);
    case Expression::Kind::Query: return derivation.source({Source::Kind::Query, 0, e.name, e.type}, 0);
    case Expression::Kind::ArrayElement:
    case Expression::Kind::Opaque: break;
    }
    return unknown(e.type, mix(place, id));
  }

  /// 1 where the condition holds, 0 where it does not.
  Derived truth(ExpressionId condition, std::uint64_t place) {
    const IntegerType type = kernel.expressions[condition].type;
    return derivation.converted(resolve(condition, place), type, kBoolean);
  }

  const Derivation &graph() const { return derivation; }
  const NodeBounds &counters() const { return bounded; }

private:
  /// Equal for what is computed alike from the same numbers.
  using Shape = std::array<std::int64_t, 10>;
  static Shape shapeOf(const Expression &e, IntegerType operands, const Derived &first, const Derived &second = {},
                       const Derived &third = {}) {
    auto type = [](IntegerType of) { return static_cast<std::int64_t>(of.bits) * 2 + of.isSigned; };
    return {static_cast<std::int64_t>(e.kind),
            static_cast<std::int64_t>(e.op),
            type(e.type),
            type(operands),
            first.node,
            first.bits,
            second.node,
            second.bits,
            third.node,
            third.bits};
  }

  void collect(BlockId block, const Statement &statement) {
    forEachDefinition(statement, [&](VariableId variable, ExpressionId value) {
      ++assigned[variable].count;
      assigned[variable].values.emplace_back(block, value);
    });
  }

  template <typename Make> Derived once(const Shape &shape, const Make &make) {
    auto known = shapes.find(shape);
    if (known == shapes.end())
      known = shapes.emplace(shape, make()).first;
    return known->second;
  }

  Derived unknown(IntegerType type, std::uint64_t number) {
    return derivation.source({Source::Kind::Loaded, number, {}, type}, 0);
  }

  /// What was assigned to it, if that happens in one place and before it is read.
  Derived variable(VariableId id, std::uint64_t place, int depth) {
    const Assignments &all = assigned[id];
    const IntegerType type = kernel.variables[id].type;
    if (all.count == 1 && !carried[id]) {
      const ExpressionId value = all.values.front().second;
      if (value == kNone)
        return unknown(type, mix(kOfVariable, id));
      return derivation.converted(resolve(value, mix(kOfVariable, id), depth + 1), kernel.expressions[value].type,
                                  type);
    }
    const Derived number = unknown(type, mix(mix(place, kOfVariable), id));
    if (const std::optional<Range> range = counted(id))
      bounded.emplace(number.node, *range);
    return number;
  }

  /// Of a variable that a loop counts up from a constant by constants.
  std::optional<Range> counted(VariableId id) const {
    const Assignments &all = assigned[id];
    if (all.values.size() != 2 || all.values[0].second == kNone || all.values[1].second == kNone)
      return std::nullopt;
    for (int first : {0, 1}) {
      const auto &[outside, start] = all.values[static_cast<std::size_t>(first)];
      const auto &[inside, next] = all.values[static_cast<std::size_t>(1 - first)];
      const LoopId loop = subject.nest.innermost(inside);
      const std::optional<std::int64_t> from = constants.of(start), step = stepOf(next, id);
      if (loop == kNone || subject.nest.loops()[loop].parent != subject.nest.innermost(outside) || !from || !step ||
          *step <= 0 || *step > kMostIterations || *from < 0 || *from > kMostIterations)
        continue;
      return within(rangeOf(kernel.variables[id].type), *from, *from + *step * kMostIterations);
    }
    return std::nullopt;
  }

  /// Of `id + constant`, through conversions.
  std::optional<std::int64_t> stepOf(ExpressionId value, VariableId id) const {
    const Expression *e = &kernel.expressions[value];
    while (e->kind == Expression::Kind::Cast)
      e = &kernel.expressions[e->operands[0]];
    if (e->kind != Expression::Kind::Binary || e->op != Operator::Add)
      return std::nullopt;
    for (int side : {0, 1}) {
      const Expression *number = &kernel.expressions[e->operands[static_cast<std::size_t>(side)]];
      while (number->kind == Expression::Kind::Cast)
        number = &kernel.expressions[number->operands[0]];
      if (number->kind == Expression::Kind::Variable && number->variable == id)
        return constants.of(e->operands[static_cast<std::size_t>(1 - side)]);
    }
    return std::nullopt;
  }

  /// x - x / m * m, and sums with it, as what they are: x % m.
  Derived withRemainders(const Derived &sum) {
    if (sum.node == 0 || derivation[sum.node].type.bits != 64)
      return sum;
    LinearForm form;
    form.add(derivation, sum, 1);
    for (const auto &[node, factor] : form.terms) {
      const DerivationNode quotient = derivation[node];
      if (quotient.kind != DerivationNode::Kind::Binary || quotient.op != Operator::Divide ||
          !(quotient.operands == kInt64) || quotient.second.node != 0 || quotient.second.bits <= 1 ||
          factor % quotient.second.bits != 0)
        continue;
      const std::int64_t times = -(factor / quotient.second.bits);
      LinearForm rest = form;
      rest.terms.erase(node);
      rest.add(derivation, quotient.first, -times);
      if (!rest.terms.empty())
        continue;
      const Derived remainder =
          derivation.binary(Operator::Remainder, kInt64, kInt64, quotient.first, quotient.second, 0);
      const Derived product = derivation.binary(Operator::Multiply, kInt64, kInt64, remainder, {times, 0}, 0);
      return derivation.binary(Operator::Add, kInt64, kInt64, product, {rest.constant, 0}, 0);
    }
    return sum;
  }

  static constexpr std::uint64_t kOfVariable = 1;

  Subject &subject;
  const Kernel &kernel;
  const Constants constants{kernel};
  std::vector<Assignments> assigned; // by variable
  std::vector<bool> carried;         // likewise: some loop hands it on to its next iteration
  Derivation derivation;
  std::map<Shape, Derived> shapes;
  NodeBounds bounded;
  std::uint64_t unknowns = 0;
};

Range rangeOfOutcome(bool holds) { return holds ? Range{1, 1} : Range{0, 0}; }

class Impossibility {
public:
  explicit Impossibility(Subject &subject)
      : subject(subject), kernel(subject.kernel), control(kernel), resolver(subject) {}

  bool isImpossible(const Way &way) {
    std::vector<Fact> facts = before(subject.ways().blockOf(way));
    facts.push_back({resolver.truth(subject.ways().conditionOf(way), placeOf(way)), rangeOfOutcome(way.taken)});
    return !mayHold(resolver.graph(), facts, resolver.counters());
  }

private:
  /// What the branches that must have gone one way before say.
  std::vector<Fact> before(BlockId block) {
    std::vector<Fact> facts;
    for (BlockId branch = 0; branch < kernel.blocks.size(); ++branch) {
      const Terminator &terminator = kernel.blocks[branch].terminator;
      if (terminator.kind != Terminator::Kind::Branch || !subject.nest.reachable(branch))
        continue;
      for (bool taken : {true, false})
        if (control.behind(branch, taken ? terminator.whenTrue : terminator.whenFalse)[block])
          facts.push_back({resolver.truth(terminator.condition, placeOf({Way::Kind::Branch, branch, taken})),
                           rangeOfOutcome(taken)});
    }
    return facts;
  }

  static std::uint64_t placeOf(const Way &way) { return mix(2 + static_cast<std::uint64_t>(way.kind), way.what); }

  Subject &subject;
  const Kernel &kernel;
  const ControlDependence control;
  Resolver resolver;
};

} // namespace

std::set<Way> impossibleWays(Subject &subject, const std::set<Way> &ways) {
  std::set<Way> found;
  if (ways.empty())
    return found;
  Impossibility impossibility(subject);
  for (const Way &way : ways)
    if (impossibility.isImpossible(way))
      found.insert(way);
  return found;
}

} // namespace ptosync::replay
