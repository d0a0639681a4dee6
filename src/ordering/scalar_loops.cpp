// ScalarAnalysis: what counts in a loop, how often it runs, and what its condition bounds.
#include "ordering/scalar_analysis.h"

#include <algorithm>
#include <utility>

namespace ptosync {

/// The constant c of `v = v + c`, through casts that keep v's type; empty if it is anything else.
std::optional<std::int64_t> ScalarAnalysis::inductionStep(VariableId variable, const Definition &definition) {
  if (definition.increment)
    return definition.increment;
  if (definition.value == kNone)
    return std::nullopt;
  const Expression *e = &kernel.expressions[definition.value];
  IntegerType type = kernel.variables[variable].type;
  if (e->kind != Expression::Kind::Binary || e->type != type || (e->op != Operator::Add && e->op != Operator::Subtract))
    return std::nullopt;
  const Expression &left = kernel.expressions[e->operands[0]], &right = kernel.expressions[e->operands[1]];
  bool leftIs = left.kind == Expression::Kind::Variable && left.variable == variable;
  bool rightIs = right.kind == Expression::Kind::Variable && right.variable == variable;
  if (leftIs == rightIs || (rightIs && e->op == Operator::Subtract))
    return std::nullopt;
  // The step must be a constant: follow variables that are assigned once.
  ExpressionId step = e->operands[leftIs ? 1 : 0];
  std::vector<IntegerType> casts; // outermost first
  for (int depth = 0; depth < 16; ++depth) {
    const Expression &s = kernel.expressions[step];
    if (s.kind == Expression::Kind::Constant) {
      std::int64_t value = s.constant;
      for (auto cast = casts.rbegin(); cast != casts.rend(); ++cast)
        value = wrapTo(*cast, value);
      return e->op == Operator::Add ? value : -value;
    }
    if (s.kind == Expression::Kind::Cast) {
      casts.push_back(s.type);
      step = s.operands[0];
    } else if (s.kind == Expression::Kind::Variable && definitions[s.variable].size() == 1 &&
               definitions[s.variable][0].value != kNone && !useBeforeDefinition[s.variable])
      step = definitions[s.variable][0].value;
    else
      return std::nullopt;
  }
  return std::nullopt;
}

/// What one iteration of `loop` adds to the variable; empty unless every definition inside adds a
/// constant exactly once per iteration.
std::optional<std::int64_t> ScalarAnalysis::stepInLoop(VariableId variable, LoopId loop) {
  std::int64_t total = 0;
  for (const Definition &definition : definitions[variable]) {
    if (!graph.loopContains(loop, definition.block))
      continue;
    bool everyTrip = graph.loopOf(definition.block) == loop && graph.everyIteration(loop, definition.block);
    std::optional<std::int64_t> step = inductionStep(variable, definition);
    if (!everyTrip || !step)
      return std::nullopt;
    total += *step;
  }
  return total;
}

void ScalarAnalysis::findInductions() {
  inductions.resize(kernel.variables.size());
  for (VariableId variable : flowing)
    for (const Definition &definition : definitions[variable]) {
      LoopId loop = graph.loopOf(definition.block);
      if (loop == kNone)
        continue;
      if (std::optional<std::int64_t> step = stepInLoop(variable, loop)) {
        inductions[variable] = {loop, *step};
        break;
      }
    }
}

std::optional<ScalarValue> ScalarAnalysis::inductionValue(VariableId variable, BlockId header,
                                                          const ScalarValue *initial) {
  const auto &induction = inductions[variable];
  if (!induction || graph.loops()[induction->first].header != header || !initial)
    return std::nullopt;
  auto [loop, step] = *induction;
  IntegerType type = kernel.variables[variable].type;
  Atom description;
  description.kind = Atom::Kind::Counter;
  description.scope = loop;
  description.key = "iteration" + std::to_string(loop);
  std::int64_t most = tripFacts[loop].trips ? std::max<std::int64_t>(*tripFacts[loop].trips, 0) : INT64_MAX / 8;
  description.interval = description.inLoop = {0, most};
  const std::vector<Statement> &entry = kernel.blocks[header].statements;
  if (most > 0 && std::all_of(entry.begin(), entry.end(), [](const Statement &statement) {
        return std::holds_alternative<Assign>(statement.action);
      }))
    description.inLoop.highest = most - 1;
  if (tripFacts[loop].trips)
    description.key += "*" + std::to_string(most);
  ScalarValue counter = scalars.ofAtom(scalars.atom(std::move(description)), kInt64);
  ScalarValue value = scalars.add(*initial, scalars.scale(counter, step), false);
  // A counting variable of 32 bits or more does not wrap: signed overflow is undefined, and an
  // unsigned one would have passed its bound. What it cannot hold it never reaches.
  Interval range = intervalOf(type);
  value.type = type;
  value.interval.lowest = std::max(value.interval.lowest, range.lowest);
  value.interval.highest = std::min(value.interval.highest, range.highest);
  if (type.bits < 32 || (type.bits == 32 && !type.isSigned && !tripFacts[loop].trips))
    value.modulus = value.modulus ? value.modulus : std::uint64_t{1} << type.bits;
  if (step > 0 && initial->interval.lowest >= 0)
    value.interval.lowest = std::max<std::int64_t>(value.interval.lowest, initial->interval.lowest);
  return value;
}

/// `v < bound` on the way into a loop's body bounds its counter v. A bound that was widened from a signed type counts
/// as not negative: the emitted unsigned comparison would otherwise run the loop some 2^63 times.
void ScalarAnalysis::refineByCondition(BlockId block) {
  if (graph.predecessors(block).size() != 1)
    return;
  const Terminator &end = kernel.blocks[graph.predecessors(block)[0]].terminator;
  if (end.kind != Terminator::Kind::Branch || end.whenTrue != block || end.whenFalse == block)
    return;
  const Expression &condition = kernel.expressions[end.condition];
  if (condition.kind != Expression::Kind::Binary || condition.op != Operator::Less)
    return;
  const Expression &left = kernel.expressions[condition.operands[0]];
  if (left.kind != Expression::Kind::Variable || flowIndex[left.variable] == kNone)
    return;
  // Only the loop's own counter: elsewhere a negative bound is a comparison like any other.
  const auto &induction = inductions[left.variable];
  if (!induction || graph.loops()[induction->first].header != graph.predecessors(block)[0] ||
      !graph.loopContains(induction->first, block))
    return;
  auto &value = environment[flowIndex[left.variable]];
  ExpressionId bound = condition.operands[1];
  while (kernel.expressions[bound].kind == Expression::Kind::Cast) {
    const Expression &inner = kernel.expressions[kernel.expressions[bound].operands[0]];
    if (inner.type.bits == 0 || inner.type.bits > kernel.expressions[bound].type.bits)
      break; // a narrowing says nothing about the value before it
    bound = kernel.expressions[bound].operands[0];
  }
  if (!value || value->interval.lowest < 0)
    return;
  Interval limit = evaluate(bound).interval;
  if (limit.highest > 0 && limit.highest < INT64_MAX)
    value->interval.highest = std::min(value->interval.highest, limit.highest - 1);
}

/// The header's condition with the counter at 0 decides the first trip; a bound and a start that
/// are both constant give the number of trips.
void ScalarAnalysis::computeTrips() {
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    BlockId header = graph.loops()[loop].header;
    const Terminator &end = kernel.blocks[header].terminator;
    if (end.kind != Terminator::Kind::Branch)
      continue;
    bool stayIfTrue = graph.loopContains(loop, end.whenTrue), stayIfFalse = graph.loopContains(loop, end.whenFalse);
    if (stayIfTrue == stayIfFalse)
      continue;
    const Expression &condition = kernel.expressions[end.condition];
    if (condition.kind != Expression::Kind::Binary || !stayIfTrue)
      continue;
    enterBlock(header);
    const std::vector<Statement> &statements = kernel.blocks[header].statements;
    for (currentIndex = 0; currentIndex < statements.size(); ++currentIndex)
      execute(statements[currentIndex], header, currentIndex);
    ScalarValue left = evaluate(condition.operands[0]), right = evaluate(condition.operands[1]);
    auto atTrip = [&](ScalarValue value, std::int64_t trip) -> std::optional<std::int64_t> {
      // An unsigned value that wraps at its type's own bound is its remainder, as long as that is in range (below).
      if (value.modulus && (value.type.isSigned || !wrapsAt(value, value.type.bits)))
        return std::nullopt;
      std::int64_t result = value.constant;
      for (const Term &term : value.terms) {
        const Atom &atom = scalars[term.atom];
        if (atom.kind != Atom::Kind::Counter || atom.scope != loop)
          return std::nullopt;
        result = wrappedSum(result, term.coefficient, trip);
      }
      return wrapTo(value.type, result) == result ? std::optional(result) : std::nullopt;
    };
    constexpr std::int64_t kMostCounted = 1 << 16;
    for (std::int64_t trip = 0; trip <= kMostCounted; ++trip) {
      std::optional<std::int64_t> a = atTrip(left, trip), b = atTrip(right, trip);
      std::int64_t holds = 0;
      if (!a || !b || !applyOperator(condition.op, left.type, *a, *b, holds))
        break;
      if (trip == 0)
        tripFacts[loop].firstTripCertain = holds != 0;
      if (!holds) {
        // Leaving by another way only makes fewer trips; the count is a bound then.
        tripFacts[loop].trips = trip;
        break;
      }
    }
  }
}

} // namespace ptosync
