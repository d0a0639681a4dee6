// ScalarAnalysis: what counts in a loop, how often it runs, and what its condition bounds.
#include "ordering/scalar_analysis.h"

#include <algorithm>
#include <numeric>
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
      return e->op == Operator::Add ? value : wrappedDifference(0, value);
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
    total = wrappedSum(total, *step);
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

/// `start` and `step` more for each iteration begun before this one, as the variable holds it. Signed numbers of 32
/// bits and more do not overflow. All others wrap: unless they are seen not to, they are known modulo their type alone.
std::optional<ScalarValue> ScalarAnalysis::inductionValue(VariableId variable, BlockId header,
                                                          const ScalarValue &start) {
  auto [loop, step] = *inductions[variable];
  IntegerType type = kernel.variables[variable].type;
  if (type.bits == 0)
    return std::nullopt;
  Atom description;
  description.kind = Atom::Kind::Counter;
  description.scope = loop;
  description.key = "iteration" + std::to_string(loop);
  std::int64_t most = tripFacts[loop].trips.value_or(kMostTrips);
  description.interval = description.inLoop = {0, most};
  const std::vector<Statement> &entry = kernel.blocks[header].statements;
  if (most > 0 && std::all_of(entry.begin(), entry.end(), [](const Statement &statement) {
        return std::holds_alternative<Assign>(statement.action);
      }))
    description.inLoop.highest = most - 1;
  if (tripFacts[loop].trips)
    description.key += "*" + std::to_string(most);
  ScalarValue counter = scalars.ofAtom(scalars.atom(std::move(description)), kInt64);
  ScalarValue value = scalars.add(start, scalars.scale(counter, step), false);
  value.type = type;
  using Wide = __int128;
  Wide lowest = Wide(start.interval.lowest) + std::min(Wide(0), Wide(step) * most);
  Wide highest = Wide(start.interval.highest) + std::max(Wide(0), Wide(step) * most);
  Interval range = intervalOf(type);
  bool fits = lowest >= range.lowest && highest <= range.highest;
  bool wraps = !fits && (!type.isSigned || type.bits < 32);
  if (wraps && type.bits < 64)
    value.modulus = std::gcd(value.modulus, std::uint64_t{1} << type.bits);
  bool possible = lowest <= range.highest && highest >= range.lowest;
  value.interval = range;
  if (!wraps && possible)
    value.interval = {static_cast<std::int64_t>(std::max(lowest, Wide(range.lowest))),
                      static_cast<std::int64_t>(std::min(highest, Wide(range.highest)))};
  return value;
}

/// True if the test at the end of the loop's header is the only way out of it.
bool ScalarAnalysis::leavesByTest(LoopId loop) const {
  const Loop &around = graph.loops()[loop];
  return std::all_of(around.blocks.begin(), around.blocks.end(), [&](BlockId block) {
    const std::vector<BlockId> &next = graph.successors(block);
    return block == around.header || (!next.empty() && std::all_of(next.begin(), next.end(), [&](BlockId successor) {
             return graph.loopContains(loop, successor);
           }));
  });
}

/// What `bound` may be where a counter of the loop is below it that starts at `start` and counts up by `step`. A
/// negative number that was converted to one without sign is out of the question if the test is the only way out of the
/// loop and nobody counts that far.
Interval ScalarAnalysis::boundOf(ExpressionId bound, LoopId loop, const ScalarValue &start, std::int64_t step) {
  Interval whole = evaluate(bound).interval;
  const Expression &e = kernel.expressions[bound];
  if (e.kind != Expression::Kind::Cast || e.type.isSigned || step < 0 || start.interval.lowest < 0)
    return whole;
  ScalarValue inner = evaluate(e.operands[0]);
  if (!inner.type.isSigned || inner.type.bits > e.type.bits || inner.interval.highest < 0)
    return whole;
  using Wide = __int128;
  Wide smallest = (Wide(1) << e.type.bits) + inner.interval.lowest; // that a negative one becomes
  Wide farthest = Wide(start.interval.highest) + Wide(step) * kMostTrips;
  if (smallest <= farthest || !leavesByTest(loop))
    return whole;
  return {std::max<std::int64_t>(inner.interval.lowest, 0), inner.interval.highest};
}

/// `v < bound` on the way into a loop's body bounds its counter v.
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
  const auto &induction = inductions[left.variable];
  if (!induction || graph.loops()[induction->first].header != graph.predecessors(block)[0] ||
      !graph.loopContains(induction->first, block))
    return;
  auto &value = environment[flowIndex[left.variable]];
  const auto &start = starts[flowIndex[left.variable]];
  if (!value || !start)
    return;
  Interval limit = boundOf(condition.operands[1], induction->first, *start, induction->second);
  bool wide = !value->type.isSigned && value->type.bits == 64;
  if (wide && limit.lowest < 0)
    return; // numbers from 2^63 on are negative here
  if (limit.highest <= value->interval.lowest || (wide && limit.highest <= 0))
    return; // nobody gets here
  if (wide)
    value->interval.lowest = std::max<std::int64_t>(value->interval.lowest, 0);
  value->interval.highest = std::min(value->interval.highest, limit.highest - 1);
}

/// The value in an iteration of the loop; empty if anything but the loop's counter decides it.
std::optional<std::int64_t> ScalarAnalysis::valueInTrip(const ScalarValue &value, LoopId loop,
                                                        std::int64_t trip) const {
  __int128 sum = value.constant;
  for (const Term &term : value.terms) {
    const Atom &atom = scalars[term.atom];
    if (atom.kind != Atom::Kind::Counter || atom.scope != loop)
      return std::nullopt;
    sum += __int128(term.coefficient) * trip;
  }
  return onlyValue(value, sum);
}

/// Counts the trips of a loop that goes on while `left op right`.
void ScalarAnalysis::countTrips(LoopId loop, Operator op, const ScalarValue &left, const ScalarValue &right) {
  // What is known modulo a number comes round to where it began: from then on nothing is new.
  constexpr std::int64_t kMostCounted = 1 << 16;
  std::int64_t most = 1;
  for (const ScalarValue *side : {&left, &right})
    if (!side->terms.empty())
      most =
          std::lcm(most, side->modulus == 0 || side->modulus > kMostCounted ? kMostCounted
                                                                            : static_cast<std::int64_t>(side->modulus));
  for (std::int64_t trip = 0; trip <= std::min(most, kMostCounted); ++trip) {
    std::optional<std::int64_t> a = valueInTrip(left, loop, trip), b = valueInTrip(right, loop, trip);
    std::int64_t holds = 0;
    if (!a || !b || !applyOperator(op, left.type, *a, *b, holds))
      return;
    if (trip == 0)
      tripFacts[loop].firstTripCertain = holds != 0;
    if (!holds) {
      // Leaving by another way only makes fewer trips; the count is a bound then.
      tripFacts[loop].trips = trip;
      return;
    }
  }
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
    ScalarValue left = evaluate(condition.operands[0]);
    countTrips(loop, condition.op, left, evaluate(condition.operands[1]));
  }
}

} // namespace ptosync
