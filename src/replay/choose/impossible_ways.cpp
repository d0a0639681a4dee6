#include "replay/choose/impossible_ways.h"

#include "replay/run/control_flow.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ptosync::replay {

namespace {

using Wide = __int128;
using Kind = DerivationNode::Kind;

constexpr int kMostRounds = 12;

class Contraction {
public:
  Contraction(const Derivation &derivation, const std::vector<std::uint32_t> &nodes, const NodeBounds &sources)
      : derivation(derivation), nodes(nodes) {
    for (std::uint32_t id : nodes) {
      bounds[id] = boundsOf(derivation, id, bounds);
      if (auto narrower = sources.find(id); narrower != sources.end())
        narrow({0, id}, narrower->second.low, narrower->second.high);
    }
  }

  void assume(const Fact &fact) { narrow(fact.number, fact.range.low, fact.range.high); }

  /// Returns false if some number has no bounds left.
  bool settle() {
    changed = true;
    for (int round = 0; round < kMostRounds && changed && !empty; ++round) {
      changed = false;
      for (auto node = nodes.rbegin(); node != nodes.rend() && !empty; ++node)
        backwards(derivation[*node], bounds.at(*node));
      for (std::uint32_t id : nodes) {
        const Range computed = boundsOf(derivation, id, bounds);
        narrow({0, id}, computed.low, computed.high);
      }
    }
    return !empty;
  }

private:
  Range of(const Derived &number) const { return boundsOf(number, bounds); }

  void narrow(const Derived &number, Wide low, Wide high) {
    const Range now = of(number);
    low = std::max<Wide>(low, now.low);
    high = std::min<Wide>(high, now.high);
    empty = empty || low > high;
    if (empty || number.node == 0 || (low == now.low && high == now.high))
      return;
    bounds[number.node] = {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
    changed = true;
  }

  void backwards(const DerivationNode &node, const Range &range) {
    switch (node.kind) {
    case Kind::Source: break;
    case Kind::Unary:
      if (node.op == Operator::LogicalNot && range.single())
        hold(node.first, range.low == 0);
      break;
    case Kind::Binary: backwardsBinary(node, range); break;
    case Kind::Cast:
      if (node.type.bits == 1 && range.single())
        hold(node.first, range.low != 0);
      else if (node.type.bits > 1 && fits(of(node.first), node.type))
        narrow(node.first, range.low, range.high);
      break;
    case Kind::Select:
      if (const Range condition = of(node.first); condition.single())
        narrow(condition.low != 0 ? node.second : node.third, range.low, range.high);
      break;
    }
  }

  /// The number is not 0, or is 0.
  void hold(const Derived &number, bool holds) {
    const Range range = of(number);
    if (!holds)
      narrow(number, 0, 0);
    else if (range.low == 0)
      narrow(number, 1, range.high);
    else if (range.high == 0)
      narrow(number, range.low, -1);
  }

  static bool fitsIn(IntegerType type, Wide low, Wide high) {
    // Of 64 bits, as signed numbers: patterns without a sign add up as they do.
    const Range all = rangeOf(type.bits >= 64 ? kInt64 : type);
    return low >= all.low && high <= all.high;
  }

  void backwardsBinary(const DerivationNode &node, const Range &range) {
    const Range left = of(node.first), right = of(node.second);
    if (isComparison(node.op)) {
      if (range.single())
        compare(node, range.low != 0, left, right);
      return;
    }
    switch (node.op) {
    case Operator::Add:
      if (!fitsIn(node.operands, Wide{left.low} + right.low, Wide{left.high} + right.high))
        return;
      narrow(node.first, Wide{range.low} - right.high, Wide{range.high} - right.low);
      return narrow(node.second, Wide{range.low} - left.high, Wide{range.high} - left.low);
    case Operator::Subtract:
      if (!fitsIn(node.operands, Wide{left.low} - right.high, Wide{left.high} - right.low))
        return;
      narrow(node.first, Wide{range.low} + right.low, Wide{range.high} + right.high);
      return narrow(node.second, Wide{left.low} - range.high, Wide{left.high} - range.low);
    case Operator::Multiply:
      if (right.single())
        multiplied(node, node.first, left, right.low, range);
      else if (left.single())
        multiplied(node, node.second, right, left.low, range);
      return;
    case Operator::Divide:
    case Operator::Remainder:
      if (right.single() && right.low > 0 && (node.operands.isSigned || left.low >= 0))
        divided(node, right.low, range);
      return;
    case Operator::BitAnd:
    case Operator::BitOr:
      if (node.operands.bits == 1 && range.single() && (range.low != 0) == (node.op == Operator::BitAnd)) {
        hold(node.first, range.low != 0);
        hold(node.second, range.low != 0);
      }
      return;
    default: return;
    }
  }

  static Wide roundedUp(Wide value, Wide divisor) { return -roundedDown(-value, divisor); }
  static Wide roundedDown(Wide value, Wide divisor) { return value / divisor - (value % divisor < 0); }

  void multiplied(const DerivationNode &node, const Derived &number, const Range &of, std::int64_t factor,
                  const Range &range) {
    if (factor > 0 && fitsIn(node.operands, Wide{of.low} * factor, Wide{of.high} * factor))
      narrow(number, roundedUp(range.low, factor), roundedDown(range.high, factor));
  }

  /// Quotients are rounded to 0, and the rest has the sign of the number.
  void divided(const DerivationNode &node, Wide divisor, const Range &range) {
    const Range all = of(node.first);
    Wide low = all.low, high = all.high;
    if (node.op == Operator::Divide) {
      low = range.low > 0 ? range.low * divisor : range.low * divisor - (divisor - 1);
      high = range.high >= 0 ? range.high * divisor + (divisor - 1) : range.high * divisor;
    } else {
      if (range.low > 0)
        low = range.low;
      if (range.high < 0)
        high = range.high;
    }
    narrow(node.first, low, high);
  }

  void compare(const DerivationNode &node, bool holds, const Range &left, const Range &right) {
    const bool equality = node.op == Operator::Equal || node.op == Operator::NotEqual;
    if (equality) {
      if (holds != (node.op == Operator::Equal))
        return;
      narrow(node.first, right.low, right.high);
      return narrow(node.second, left.low, left.high);
    }
    const bool swapped = node.op == Operator::Greater || node.op == Operator::GreaterEqual;
    const bool strict = node.op == Operator::Less || node.op == Operator::Greater;
    // below < above, or below <= above.
    const Derived *below = swapped ? &node.second : &node.first, *above = swapped ? &node.first : &node.second;
    Wide least = strict ? 1 : 0;
    if (!holds) {
      std::swap(below, above);
      least = strict ? 0 : 1;
    }
    const Range low = of(*below), high = of(*above);
    if (const std::optional<std::int64_t> distance = distanceOf(node.operands, *below, low, *above);
        distance && *distance < least)
      empty = true;
    const bool wide = !node.operands.isSigned && node.operands.bits == 64;
    if (wide && high.low < 0)
      return; // the larger one may be beyond 2^63
    if (wide) // so the smaller one is no larger than that, and none that begins with a 1
      narrow(*below, 0, Wide{high.high} - least);
    else
      narrow(*below, low.low, Wide{high.high} - least);
    if (!wide || low.low >= 0)
      narrow(*above, Wide{low.low} + least, high.high);
  }

  /// Returns how much larger one number is than another one of so many, if that is a constant: `n + 384` than `n`.
  std::optional<std::int64_t> distanceOf(IntegerType type, const Derived &from, const Range &range,
                                         const Derived &to) const {
    constexpr std::int64_t kFar = std::int64_t{1} << 62; // nothing nearer to 0 wraps by so little
    if (type.bits != 64 || !type.isSigned || range.low <= -kFar || range.high >= kFar)
      return std::nullopt;
    LinearForm form;
    form.add(derivation, to, 1);
    form.add(derivation, from, -1);
    const bool constant = form.terms.empty() && form.constant > -kFar && form.constant < kFar;
    return constant ? std::optional(form.constant) : std::nullopt;
  }

  const Derivation &derivation;
  const std::vector<std::uint32_t> &nodes;
  NodeBounds bounds;
  bool changed = false, empty = false;
};

} // namespace

bool mayHold(const Derivation &derivation, const std::vector<Fact> &facts, const NodeBounds &sources) {
  std::vector<Derived> numbers;
  numbers.reserve(facts.size());
  for (const Fact &fact : facts)
    numbers.push_back(fact.number);
  const Cone cone(derivation, numbers);
  Contraction contraction(derivation, cone.all(), sources);
  for (const Fact &fact : facts)
    contraction.assume(fact);
  return contraction.settle();
}

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
  Resolver(Subject &subject, const ArgumentValues &given)
      : subject(subject), kernel(subject.kernel), given(given), assigned(kernel.variables.size()),
        carried(kernel.variables.size()) {
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
      return argument(e);
    case Expression::Kind::Query: return asAssumed(e, derivation.source({Source::Kind::Query, 0, e.name, e.type}, 0));
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

  /// The same where a loop is entered: what it counts has the number that was given to it in front.
  Derived truthOnEntry(ExpressionId condition, std::uint64_t place, LoopId loop) {
    entered = loop;
    const Derived result = truth(condition, place);
    entered = kNone;
    return result;
  }

  const Derivation &graph() const { return derivation; }
  const NodeBounds &counters() const { return bounded; }

private:
  /// Returns an argument, which is a single number where its value is given.
  Derived argument(const Expression &e) {
    const auto index = static_cast<std::uint32_t>(e.constant);
    const Derived number = derivation.source({Source::Kind::Argument, index, {}, e.type}, 0);
    if (auto value = given.find(index); value != given.end())
      if (const Range single{value->second, value->second}; fits(single, e.type))
        bounded.emplace(number.node, single);
    return asAssumed(e, number);
  }

  /// Of an argument or a core query: within what is assumed of it.
  Derived asAssumed(const Expression &e, const Derived &number) {
    const NumberBounds assumed = ptosync::boundsOf(kernel.assumptions, e);
    if (!kernel.assumptions.empty())
      bounded.emplace(number.node, within(rangeOf(e.type), assumed.lowest, assumed.highest));
    return number;
  }

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

  /// Returns what was assigned to it, if that happens in one place and before it is read.
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
    if (const ExpressionId start = onEntry(id); start != kNone) {
      const LoopId loop = std::exchange(entered, kNone); // what it starts with may itself be another loop's
      const Derived value = resolve(start, mix(kOfVariable, id), depth + 1);
      entered = loop;
      return derivation.converted(value, kernel.expressions[start].type, type);
    }
    const Derived number = unknown(type, mix(mix(place, kOfVariable), id));
    if (const std::optional<Range> range = counted(id))
      bounded.emplace(number.node, *range);
    return number;
  }

  /// Returns what a variable that the loop in question changes was given in front of it, in the same iteration of the
  /// loop around; kNone if that is not for certain.
  ExpressionId onEntry(VariableId id) const {
    const Assignments &all = assigned[id];
    if (entered == kNone || all.values.size() != 2)
      return kNone;
    const LoopId parent = subject.nest.loops()[entered].parent;
    const auto inLoop = [&](int which) {
      return subject.nest.contains(entered, all.values[static_cast<std::size_t>(which)].first);
    };
    if (inLoop(0) == inLoop(1))
      return kNone;
    const auto &[outside, start] = all.values[inLoop(0) ? 1 : 0];
    const bool around =
        parent != kNone && std::binary_search(subject.carried(parent).begin(), subject.carried(parent).end(), id);
    return subject.nest.innermost(outside) == parent && !around ? start : kNone;
  }

  /// Returns the range of a variable that a loop counts up from a constant by constants.
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

  /// Returns the constant of `id + constant`, through conversions.
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
  const ArgumentValues &given;
  const Constants constants{kernel};
  std::vector<Assignments> assigned; // by variable
  std::vector<bool> carried;         // likewise: some loop hands it on to its next iteration
  Derivation derivation;
  std::map<Shape, Derived> shapes;
  NodeBounds bounded;
  LoopId entered = kNone; // whose entry is looked at
  std::uint64_t unknowns = 0;
};

Range rangeOfOutcome(bool holds) { return holds ? Range{1, 1} : Range{0, 0}; }

class Impossibility {
public:
  Impossibility(Subject &subject, const ArgumentValues &given)
      : subject(subject), kernel(subject.kernel), control(kernel), resolver(subject, given) {}

  bool isImpossible(const Way &way) {
    std::vector<Fact> facts = before(subject.ways().blockOf(way));
    const ExpressionId condition = subject.ways().conditionOf(way);
    switch (way.kind) {
    case Way::Kind::Branch:
    case Way::Kind::Choice:
      facts.push_back({resolver.truth(condition, placeOf(way)), rangeOfOutcome(way.taken)});
      break;
    case Way::Kind::Skipped: {
      const LoopId loop = subject.nest.innermost(way.what);
      const bool stays = subject.nest.contains(loop, kernel.blocks[way.what].terminator.whenTrue);
      facts.push_back({resolver.truthOnEntry(condition, placeOf(way), loop), rangeOfOutcome(!stays)});
      break;
    }
    case Way::Kind::Number:
      facts.push_back({resolver.resolve(condition, placeOf(way)), Range{way.number, way.number}});
      break;
    }
    return !mayHold(resolver.graph(), facts, resolver.counters());
  }

private:
  /// Returns what the branches that must have gone one way before say.
  std::vector<Fact> before(BlockId block) {
    std::vector<Fact> facts;
    for (BlockId branch = 0; branch < kernel.blocks.size(); ++branch) {
      const Terminator &terminator = kernel.blocks[branch].terminator;
      if (terminator.kind != Terminator::Kind::Branch || !subject.nest.reachable(branch))
        continue;
      for (bool taken : {true, false})
        if (control.isBehind(branch, taken ? terminator.whenTrue : terminator.whenFalse, block))
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

std::set<Way> impossibleWays(Subject &subject, const std::set<Way> &ways, const ArgumentValues &given) {
  std::set<Way> found;
  if (ways.empty())
    return found;
  Impossibility impossibility(subject, given);
  for (const Way &way : ways)
    if (impossibility.isImpossible(way))
      found.insert(way);
  return found;
}

} // namespace ptosync::replay
