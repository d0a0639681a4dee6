#include "ordering/branch_plan.h"

#include "ordering/implied_condition.h"

#include <algorithm>
#include <numeric>

namespace ptosync {
namespace {

bool isConnective(Operator op) {
  return op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor || op == Operator::Equal ||
         op == Operator::NotEqual;
}

bool isTruth(const Interval &interval) { return interval.lowest >= 0 && interval.highest <= 1; }

/// The constant by which `value` exceeds `base`; empty if they differ in more, or either may have wrapped at fewer
/// bits than `bits`.
std::optional<std::int64_t> excess(const ScalarValue &value, const ScalarValue &base, unsigned bits) {
  if (!wrapsAt(value, bits) || !wrapsAt(base, bits) || value.terms != base.terms)
    return std::nullopt;
  return wrappedDifference(value.constant, base.constant);
}

} // namespace

BranchPlan::BranchPlan(const Program &program, const std::vector<std::uint32_t> &idPeriods)
    : program(program), scalars(program.scalars->algebra()), graph(*program.graph), shapes(scalars),
      conditions(program.conditions), plans(idPeriods.size()), place(idPeriods.size()) {
  std::vector<LoopId> inside(plans.size());
  std::iota(inside.begin(), inside.end(), LoopId{0});
  std::stable_sort(inside.begin(), inside.end(),
                   [&](LoopId a, LoopId b) { return graph.depthOf(a) > graph.depthOf(b); });
  for (std::size_t rank = 0; rank < inside.size(); ++rank) {
    place[inside[rank]] = rank;
    plans[rank].period = idPeriods[rank];
  }
  Places tested;
  for (BlockId block : graph.order())
    if (conditions[block] && !leavesLoop(block))
      collect(*conditions[block], block, tested);
  if (program.options.followConditions) {
    followValues(tested);
    followVariables();
  }
  alignStorage();
  tellShortLoops();
}

bool BranchPlan::expands() const {
  return !followed.empty() || !variables.empty() ||
         std::any_of(plans.begin(), plans.end(), [](const LoopPlan &plan) { return plan.expanded(); });
}

void BranchPlan::idsOnly(const std::vector<std::uint32_t> &idPeriods, std::string why) {
  for (std::size_t loop = 0; loop < plans.size(); ++loop) {
    plans[loop] = LoopPlan();
    plans[loop].period = idPeriods[loop];
  }
  phased.clear();
  endRules.clear();
  followed.clear();
  firstTests.clear();
  variables.clear();
  reason = std::move(why);
}

/// True if one of the ways leaves a loop: a test, or a jump out.
bool BranchPlan::leavesLoop(BlockId block) const {
  const Terminator &end = program.kernel->blocks[block].terminator;
  for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent)
    if (!graph.loopContains(loop, end.whenTrue) || !graph.loopContains(loop, end.whenFalse))
      return true;
  return false;
}

void BranchPlan::collect(const ScalarValue &value, BlockId block, Places &tested) {
  if (value.modulus != 0)
    return;
  for (const Term &term : value.terms)
    collectAtom(term.atom, block, tested);
}

void BranchPlan::collectAtom(AtomId id, BlockId block, Places &tested) {
  const Atom &atom = scalars[id];
  if (requirePhases(id, block) || requireEnd(id, block))
    return;
  // What depends on iterations alone is not chosen freely: it stays open.
  if (atom.iterations || atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table)
    return;
  if (!atom.operands.empty() && isConnective(atom.op) && isTruth(atom.operands[0].interval) &&
      isTruth(atom.operands[1].interval)) {
    for (const ScalarValue &operand : atom.operands)
      collect(operand, block, tested);
    return;
  }
  // Outside its loop an atom is what its last iteration left: that is another value.
  if (isTruth(atom.interval) && (atom.scope == kNone || graph.loopContains(atom.scope, block))) {
    std::vector<BlockId> &places = tested[id];
    if (std::find(places.begin(), places.end(), block) == places.end())
      places.push_back(block);
  }
}

std::int64_t BranchPlan::copiesAround(LoopId loop, const std::vector<LoopPlan> &wanted) const {
  std::int64_t copies = 1;
  for (; loop != kNone && copies <= kMostCopies; loop = graph.loops()[loop].parent)
    copies *= wanted[loop].copies();
  return copies;
}

/// Widens the plan by what is wanted; false, with a reason, if that were too much.
bool BranchPlan::require(const std::map<LoopId, LoopPlan> &wanted, std::uint32_t line) {
  std::vector<LoopPlan> wider = plans;
  std::int64_t longest = 1;
  for (const auto &[loop, plan] : wanted) {
    LoopPlan &own = wider[loop];
    own.prefix = std::max(own.prefix, plan.prefix);
    own.period = std::lcm(own.period, plan.period);
    own.ahead = std::max(own.ahead, plan.ahead);
    own.branches = true;
    longest = std::max(longest, own.period);
  }
  std::int64_t copies = 1;
  for (LoopId loop = 0; loop < wider.size(); ++loop)
    copies = std::max(copies, copiesAround(loop, wider));
  if (longest <= kLongestPeriod && copies <= kMostCopies) {
    plans = std::move(wider);
    return true;
  }
  if (reason.empty())
    reason = "the branch at line " + std::to_string(line) + " asks for " +
             (longest > kLongestPeriod ? "a period of " + std::to_string(longest) + " iterations, more than " +
                                             std::to_string(kLongestPeriod)
                                       : "more than " + std::to_string(kMostCopies) + " copies of the loops around it");
  return false;
}

bool BranchPlan::requirePhases(AtomId id, BlockId block) {
  const Atom &atom = scalars[id];
  bool table = atom.kind == Atom::Kind::Table && atom.scope != kNone;
  if (!table && !atom.iterations)
    return false;
  if (phased.count(id))
    return true;
  ScalarValue value;
  value.terms.push_back({id, 1});
  std::set<LoopId> loops;
  shapes.addLoops(value, loops);
  std::map<LoopId, LoopPlan> wanted;
  for (LoopId loop : loops) {
    std::optional<IterationShape> shape = shapes.shape(value, loop);
    // Behind its loop a counter is what the last iteration left.
    if (!graph.loopContains(loop, block) || !shape || !shape->repeats())
      return false;
    wanted[loop].prefix = shape->prefix;
    wanted[loop].period = shape->period;
  }
  if (!require(wanted, program.kernel->blocks[block].terminator.line))
    return false;
  phased.insert(id);
  return true;
}

/// What holds in the header of a loop when it goes round once more; of loops that count up to a fixed bound.
std::optional<ScalarComparison> BranchPlan::testOf(LoopId loop) const {
  BlockId header = graph.loops()[loop].header;
  const Terminator &end = program.kernel->blocks[header].terminator;
  if (!conditions[header] || graph.loopContains(loop, end.whenTrue) == graph.loopContains(loop, end.whenFalse))
    return std::nullopt;
  std::optional<ScalarComparison> test = scalars.comparisonOf(*conditions[header]);
  if (!test || !graph.loopContains(loop, end.whenTrue) || test->op != Operator::Less)
    return std::nullopt;
  bool counts = wrapsAt(test->left, test->left.type.bits) && isDetermined(test->right) &&
                isFixedIn(test->right, loop, scalars, graph);
  std::size_t counters = 0;
  for (const Term &term : test->left.terms) {
    const Atom &atom = scalars[term.atom];
    bool own = atom.kind == Atom::Kind::Counter && atom.scope == loop;
    counters += own && term.coefficient > 0;
    counts = counts && (own || atom.scope == kNone || !graph.encloses(loop, atom.scope));
  }
  return counts && counters == 1 ? test : std::nullopt;
}

bool BranchPlan::requireEnd(AtomId id, BlockId block) {
  ScalarValue value;
  value.terms.push_back({id, 1});
  std::optional<ScalarComparison> asked = scalars.comparisonOf(value);
  if (!asked)
    return false;
  if (endRules.count(id))
    return graph.loopContains(endRules.at(id).loop, block) && graph.loops()[endRules.at(id).loop].header != block;
  for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent) {
    std::optional<ScalarComparison> test = testOf(loop);
    if (!test || graph.loops()[loop].header == block)
      continue;
    std::optional<EndRule> rule = endRule(*test, *asked, loop);
    if (!rule)
      continue;
    std::map<LoopId, LoopPlan> wanted;
    wanted[loop].ahead = rule->ahead;
    if (!require(wanted, program.kernel->blocks[block].terminator.line))
      return false;
    endRules[id] = *rule;
    return true;
  }
  return false;
}

/// What a comparison in the body says about the test of its loop, which held in this iteration: `test.left <
/// test.right`.
std::optional<BranchPlan::EndRule> BranchPlan::endRule(const ScalarComparison &test, const ScalarComparison &asked,
                                                       LoopId loop) const {
  unsigned bits = test.left.type.bits;
  bool sameType = bits >= 8 && asked.left.type == test.left.type && asked.right.type == test.right.type &&
                  test.right.type == test.left.type;
  if (!sameType)
    return std::nullopt;
  std::int64_t step = 0;
  bool plainCounter = test.left.terms.size() == 1;
  for (const Term &term : test.left.terms)
    if (scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop)
      step = term.coefficient;
  constexpr std::int64_t kSmall = std::int64_t{1} << 32;
  bool counted =
      plainCounter && test.left.modulus == 0 && step < kSmall && test.left.constant >= 0 && test.left.constant < kSmall;
  if (asked.op == Operator::Equal || asked.op == Operator::NotEqual) {
    // The two sides are 1 to 2^bits - 1 apart here, so the difference modulo 2^bits is the difference.
    for (bool swapped : {false, true}) {
      const ScalarValue &left = swapped ? asked.right : asked.left, &right = swapped ? asked.left : asked.right;
      std::optional<std::int64_t> up = excess(left, test.left, bits), down = excess(right, test.right, bits);
      if (!up || !down || step != 1)
        continue;
      std::int64_t ahead = wrappedDifference(*up, *down);
      if (ahead >= 1 && ahead <= std::int64_t{kFarthestAhead})
        return EndRule{loop, static_cast<std::uint32_t>(ahead), true, asked.op == Operator::NotEqual};
    }
    return std::nullopt;
  }
  // `bound <= counter + c` is the opposite of `counter + c < bound`.
  bool negated = asked.op == Operator::LessEqual;
  const ScalarValue &left = negated ? asked.right : asked.left, &right = negated ? asked.left : asked.right;
  std::optional<std::int64_t> up = excess(left, test.left, bits);
  std::optional<std::int64_t> down =
      describeSame(right, test.right) ? std::optional<std::int64_t>(0) : excess(right, test.right, 64);
  if (!up || !down || (*up != 0 && *down != 0))
    return std::nullopt;
  std::int64_t shift = *up != 0 ? *up : wrappedDifference(0, *down);
  if (shift < 1 || shift % step != 0 || shift / step > std::int64_t{kFarthestAhead})
    return std::nullopt;
  auto ahead = static_cast<std::uint32_t>(shift / step);
  // Moved by one iteration the counter is what the test will look at, wrapped or not; farther it must not wrap, and
  // neither must a bound that is lowered by more than the one that the test leaves below it.
  bool exact = *up != 0 ? ahead == 1 || (counted && left.modulus == 0)
                        : shift == 1 || (counted && test.left.type.isSigned && test.left.interval.lowest >= 0);
  if (!exact)
    return std::nullopt;
  return EndRule{loop, ahead, false, negated};
}

/// Storage that goes round with a loop whose branches are decided is told apart with it.
void BranchPlan::alignStorage() {
  for (const Node &node : program.nodes)
    for (const Access &access : node.accesses)
      for (const Term &term : access.base.terms) {
        const Atom &atom = scalars[term.atom];
        if (atom.kind != Atom::Kind::Table || atom.scope == kNone || !plans[atom.scope].branches)
          continue;
        std::string kept = reason;
        std::map<LoopId, LoopPlan> wanted;
        wanted[atom.scope].period = static_cast<std::int64_t>(atom.table.size());
        if (!require(wanted, 0))
          reason = kept;
      }
}

/// In a loop of a few iterations each is told from the others.
void BranchPlan::tellShortLoops() {
  for (LoopId loop = 0; loop < plans.size(); ++loop) {
    std::optional<std::int64_t> trips = tripsOf(loop);
    if (!trips || plans[loop].prefix == 0 || *trips > IterationShapes::kLongestPrefix)
      continue;
    std::string kept = reason;
    std::map<LoopId, LoopPlan> wanted;
    wanted[loop].prefix = *trips;
    if (!require(wanted, 0))
      reason = kept;
  }
}

std::optional<std::int64_t> BranchPlan::tripsOf(LoopId loop) const {
  const std::optional<std::int64_t> &trips = program.scalars->trips(loop).trips;
  std::int64_t least = plans[loop].branches ? 2 : 2 * plans[loop].phases();
  return plans[loop].expanded() && trips && *trips >= least ? trips : std::nullopt;
}

DecisionState BranchPlan::start() const {
  DecisionState state(2 * plans.size() + followed.size() + variables.size(), kOutside);
  std::fill(state.begin() + static_cast<std::ptrdiff_t>(2 * plans.size()), state.end(), std::uint8_t{kOpen});
  return state;
}

std::vector<std::pair<bool, DecisionState>> BranchPlan::outcomes(BlockId block, const DecisionState &state) const {
  if (std::optional<std::int64_t> constant = testOfConstants(block, state))
    return {{*constant != 0, state}};
  std::size_t open = followed.size();
  std::optional<std::int64_t> value;
  if (conditions[block])
    value = evaluate(*conditions[block], block, state, open);
  if (value)
    return {{*value != 0, state}};
  if (open == followed.size())
    return {{true, state}, {false, state}};
  std::vector<std::pair<bool, DecisionState>> all;
  for (Outcome outcome : {kHeld, kFailed}) {
    DecisionState chosen = state;
    chosen[2 * plans.size() + open] = outcome;
    std::vector<std::pair<bool, DecisionState>> part = outcomes(block, chosen);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// `open` receives the first followed value that is not settled and might settle it.
std::optional<std::int64_t> BranchPlan::evaluate(const ScalarValue &value, BlockId block, const DecisionState &state,
                                                 std::size_t &open) const {
  if (value.modulus != 0)
    return std::nullopt;
  std::int64_t sum = value.constant;
  for (const Term &term : value.terms) {
    std::optional<std::int64_t> part = evaluate(term.atom, block, state, open);
    if (!part)
      return std::nullopt;
    sum = wrappedSum(sum, term.coefficient, *part);
  }
  return sum;
}

std::optional<std::int64_t> BranchPlan::evaluate(AtomId id, BlockId block, const DecisionState &state,
                                                 std::size_t &open) const {
  if (phased.count(id))
    return shapes.evaluate(id, [&](LoopId loop) -> std::optional<std::int64_t> {
      std::uint8_t at = phase(state, loop);
      return at == kOutside ? std::nullopt : std::optional<std::int64_t>(at);
    });
  if (auto rule = endRules.find(id); rule != endRules.end()) {
    std::uint8_t remaining = left(state, rule->second.loop);
    if (remaining == kOutside || remaining == 0)
      return std::nullopt;
    bool holds = rule->second.exactly ? remaining == rule->second.ahead : remaining > rule->second.ahead;
    return holds != rule->second.negated;
  }
  auto followedOutcome = [&](std::size_t number) -> std::optional<bool> {
    if (outcome(state, number) != kOpen)
      return outcome(state, number) == kHeld;
    open = std::min(open, number);
    return std::nullopt;
  };
  if (auto first = firstTests.find(block); first != firstTests.end() && first->second.atom == id) {
    std::optional<bool> held;
    if (phase(state, first->second.loop) == 0)
      held = followedOutcome(first->second.value);
    return held ? std::optional<std::int64_t>(*held != first->second.negated) : std::nullopt;
  }
  for (std::size_t number = 0; number < followed.size(); ++number)
    if (followed[number].atom == id)
      return followed[number].tests.count(block) ? followedOutcome(number) : std::nullopt;
  const Atom &atom = scalars[id];
  if (atom.operands.empty() || !isConnective(atom.op) || !isTruth(atom.operands[0].interval) ||
      !isTruth(atom.operands[1].interval))
    return std::nullopt;
  std::size_t unsettled = open;
  std::optional<std::int64_t> a = evaluate(atom.operands[0], block, state, unsettled),
                              b = evaluate(atom.operands[1], block, state, unsettled);
  std::int64_t result = 0;
  if (a && b && applyOperator(atom.op, atom.operands[0].type, *a, *b, result))
    return result;
  for (const std::optional<std::int64_t> &side : {a, b}) {
    if (side && atom.op == Operator::BitAnd && *side == 0)
      return 0;
    if (side && atom.op == Operator::BitOr && *side == 1)
      return 1;
  }
  open = unsettled;
  return std::nullopt;
}

} // namespace ptosync
