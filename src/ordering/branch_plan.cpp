#include "ordering/branch_plan.h"

#include "base/walk.h"
#include "ordering/condition.h"

#include <algorithm>
#include <limits>
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

/// In a loop of a few iterations each is told from the others: a path that goes round `i % 2` only knows that their
/// number is even. What is told apart anyway, by a prefix or by branches, is so whichever syncs the kernel has, so that
/// the kernel with fewer of them is seen as the one with all was.
void BranchPlan::tellShortLoops() {
  for (LoopId loop = 0; loop < plans.size(); ++loop) {
    std::optional<std::int64_t> trips = tripsOf(loop);
    if (!trips || (plans[loop].prefix == 0 && !plans[loop].branches) || *trips > IterationShapes::kLongestPrefix)
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

// BranchPlan: conditions that are tested again, and variables that hold constants where they are tested.

/// What the arms of a branch do to each flag: sets less waits, in the text.
std::map<std::uint32_t, int> BranchPlan::settings(BlockId block) const {
  std::map<std::uint32_t, int> balance;
  const Terminator &end = program.kernel->blocks[block].terminator;
  for (BlockId arm : {end.whenTrue, end.whenFalse})
    for (BlockId inside : graph.order())
      if (graph.predecessors(arm).size() == 1 && graph.dominates(arm, inside))
        for (const Event &event : program.steps[inside])
          for (std::uint32_t lane : event.lanes)
            balance[lane] += event.kind == Event::Kind::Set ? 1 : -1;
  return balance;
}

/// True if a flag that is left set where one of the branches stands is waited for where another does, or is used in one
/// of the loops.
bool BranchPlan::shareFlag(const std::vector<BlockId> &tests, const std::map<BlockId, FirstTest> &first) const {
  std::map<std::uint32_t, std::pair<bool, bool>> flags; // left set, waited for
  for (BlockId test : tests)
    for (auto [lane, balance] : settings(test)) {
      flags[lane].first |= balance > 0;
      flags[lane].second |= balance < 0;
    }
  for (const auto &[header, test] : first)
    for (BlockId inside : graph.loops()[test.loop].blocks)
      for (const Event &event : program.steps[inside])
        for (std::uint32_t lane : event.lanes)
          if (auto flag = flags.find(lane); flag != flags.end() && flag->second.first != flag->second.second)
            return true;
  return std::any_of(flags.begin(), flags.end(),
                     [](const auto &flag) { return flag.second.first && flag.second.second; });
}

/// Truth values that are tested in more places than one, and decide about a flag in several of them. Others are not
/// worth the copies, which syncs cannot be moved between.
void BranchPlan::followValues(const Places &tested) {
  FirstTests first = firstTestsOf(tested);
  for (const auto &[atom, blocks] : tested) {
    const std::map<BlockId, FirstTest> &loops = first[atom];
    if (blocks.size() + loops.size() < 2 || !shareFlag(blocks, loops))
      continue;
    if (followed.size() == kMostValues) {
      if (reason.empty())
        reason = "more than " + std::to_string(kMostValues) + " conditions are tested several times";
      return;
    }
    followed.push_back({atom, {blocks.begin(), blocks.end()}, liveBlocks(atom, blocks, loops)});
    keepFirstTests(loops);
  }
}

/// The loops whose test is in the first iteration one of the tested values, or its opposite.
BranchPlan::FirstTests BranchPlan::firstTestsOf(const Places &tested) const {
  FirstTests found;
  for (LoopId loop = 0; loop < plans.size(); ++loop) {
    BlockId header = graph.loops()[loop].header;
    std::optional<ScalarComparison> test =
        conditions[header] ? scalars.comparisonOf(*conditions[header]) : std::nullopt;
    if (!test)
      continue;
    bool negated = conditions[header]->constant != 0; // 1 - atom
    ScalarComparison first = inFirstIteration(*test, loop, scalars);
    for (const auto &[atom, blocks] : tested) {
      ScalarValue value;
      value.terms.push_back({atom, 1});
      std::optional<ScalarComparison> other = scalars.comparisonOf(value);
      std::optional<bool> same = other ? asksSame(*other, first) : std::nullopt;
      LoopId scope = scalars[atom].scope;
      if (!same || (scope != kNone && !graph.loopContains(scope, header)) || scope == loop)
        continue;
      found[atom][header] = {conditions[header]->terms[0].atom, loop, 0, *same == negated};
      break;
    }
  }
  return found;
}

/// For the value that was followed last: its loops tell the first iteration apart.
void BranchPlan::keepFirstTests(const std::map<BlockId, FirstTest> &tests) {
  for (auto [header, test] : tests) {
    std::string kept = reason;
    std::map<LoopId, LoopPlan> wanted;
    wanted[test.loop].prefix = 1;
    if (require(wanted, program.kernel->blocks[header].terminator.line)) {
      test.value = followed.size() - 1;
      firstTests.emplace(header, test);
    } else {
      reason = kept;
    }
  }
}

std::vector<bool> BranchPlan::liveBlocks(AtomId atom, const std::vector<BlockId> &tests,
                                         const std::map<BlockId, FirstTest> &first) const {
  LoopId scope = scalars[atom].scope;
  Walk<BlockId> walk;
  auto reachFrom = [&](BlockId block, bool alsoRound) {
    for (BlockId before : graph.predecessors(block)) {
      LoopId around = graph.backEdge(before, block);
      bool changes =
          scope != kNone && ((around != kNone && graph.encloses(around, scope)) || !graph.loopContains(scope, before));
      if (!changes && (alsoRound || around == kNone))
        walk.reach(before);
    }
  };
  for (BlockId test : tests)
    walk.reach(test);
  for (const auto &[header, test] : first)
    reachFrom(header, false);
  while (std::optional<BlockId> block = walk.next())
    reachFrom(*block, true);
  std::vector<bool> live(program.kernel->blocks.size(), false);
  for (BlockId block = 0; block < live.size(); ++block)
    live[block] = walk.reached(block) || first.count(block) != 0;
  return live;
}

void BranchPlan::forget(DecisionState &state, BlockId to, LoopId around) const {
  for (std::size_t number = 0; number < followed.size(); ++number) {
    LoopId scope = scalars[followed[number].atom].scope;
    bool changes =
        scope != kNone && ((around != kNone && graph.encloses(around, scope)) || !graph.loopContains(scope, to));
    if (changes || !followed[number].live[to])
      state[2 * plans.size() + number] = kOpen;
  }
  for (std::size_t number = 0; number < variables.size(); ++number)
    if (!variables[number].live[to])
      state[2 * plans.size() + followed.size() + number] = 0;
}

/// The number that an expression of constants, and of followed variables that hold one in the state, comes to.
std::optional<std::int64_t> BranchPlan::constantOf(ExpressionId id, const DecisionState *state) const {
  const Expression &e = program.kernel->expressions[id];
  switch (e.kind) {
  case Expression::Kind::Constant: return e.constant;
  case Expression::Kind::Variable:
    for (std::size_t number = 0; state && number < variables.size(); ++number)
      if (variables[number].variable == e.variable)
        if (std::uint8_t held = (*state)[2 * plans.size() + followed.size() + number])
          return variables[number].constants[held - 1];
    return std::nullopt;
  case Expression::Kind::Cast: {
    std::optional<std::int64_t> inner = constantOf(e.operands[0], state);
    return inner ? std::optional(wrapTo(e.type, *inner)) : std::nullopt;
  }
  case Expression::Kind::Unary: {
    std::optional<std::int64_t> inner = constantOf(e.operands[0], state);
    if (!inner || e.op != Operator::LogicalNot)
      return std::nullopt;
    return *inner == 0;
  }
  case Expression::Kind::Binary: {
    std::optional<std::int64_t> left = constantOf(e.operands[0], state), right = constantOf(e.operands[1], state);
    std::int64_t result = 0;
    IntegerType type = program.kernel->expressions[e.operands[0]].type;
    return left && right && applyOperator(e.op, type, *left, *right, result) ? std::optional(result) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

/// Variables that branches on them and constants alone test.
void BranchPlan::followVariables() {
  if (program.flags.empty())
    return;
  std::map<VariableId, std::vector<BlockId>> tests;
  std::vector<VariableId> inOrder;
  for (BlockId block : graph.order()) {
    const Terminator &end = program.kernel->blocks[block].terminator;
    if (end.kind != Terminator::Kind::Branch || !conditions[block])
      continue;
    std::set<VariableId> read;
    forEachVariable(program.kernel->expressions, end.condition, [&](VariableId variable) { read.insert(variable); });
    if (read.size() != 1)
      continue;
    std::vector<BlockId> &blocks = tests[*read.begin()];
    if (blocks.empty())
      inOrder.push_back(*read.begin());
    blocks.push_back(block);
  }
  for (VariableId variable : inOrder)
    if (std::optional<FollowedVariable> found = followedVariable(variable, tests[variable])) {
      if (variables.size() == kMostValues)
        return;
      variables.push_back(std::move(*found));
    }
}

/// Empty if nothing gives the variable a constant, or more do than can be told apart.
std::optional<BranchPlan::FollowedVariable> BranchPlan::followedVariable(VariableId variable,
                                                                         const std::vector<BlockId> &tests) const {
  constexpr std::size_t kMostConstants = 4;
  FollowedVariable found;
  found.variable = variable;
  for (BlockId block : graph.order())
    for (const Statement &statement : program.kernel->blocks[block].statements) {
      std::optional<ExpressionId> given; // kNone: something that is not known
      forEachDefinition(statement, [&](VariableId written, ExpressionId value) {
        if (written == variable)
          given = value;
      });
      if (!given)
        continue;
      std::optional<std::int64_t> constant = *given == kNone ? std::nullopt : constantOf(*given, nullptr);
      found.left[block] = 0;
      if (!constant)
        continue;
      std::int64_t value = wrapTo(program.kernel->variables[variable].type, *constant);
      auto known = std::find(found.constants.begin(), found.constants.end(), value);
      found.left[block] = static_cast<std::uint8_t>(known - found.constants.begin() + 1);
      if (known == found.constants.end())
        found.constants.push_back(value);
    }
  if (found.constants.empty() || found.constants.size() > kMostConstants || found.left.size() < 2)
    return std::nullopt;
  Walk<BlockId> walk;
  for (BlockId test : tests)
    if (!found.left.count(test))
      walk.reach(test);
  while (std::optional<BlockId> block = walk.next())
    for (BlockId before : graph.predecessors(*block))
      if (!found.left.count(before))
        walk.reach(before);
  found.live.resize(program.kernel->blocks.size());
  for (BlockId block = 0; block < found.live.size(); ++block)
    found.live[block] = walk.reached(block);
  return found;
}

bool BranchPlan::dropVariables() {
  bool any = !variables.empty();
  variables.clear();
  return any;
}

void BranchPlan::pass(BlockId block, DecisionState &state) const {
  for (std::size_t number = 0; number < variables.size(); ++number)
    if (auto left = variables[number].left.find(block); left != variables[number].left.end())
      state[2 * plans.size() + followed.size() + number] = left->second;
}

/// What the branch at the block's end comes to where the variable it tests holds a constant.
std::optional<std::int64_t> BranchPlan::testOfConstants(BlockId block, const DecisionState &state) const {
  const Terminator &end = program.kernel->blocks[block].terminator;
  if (variables.empty() || end.kind != Terminator::Kind::Branch || !conditions[block])
    return std::nullopt;
  return constantOf(end.condition, &state);
}

/// False if the state knows that the branch does not go there: the test of a loop whose length, or what is left of it,
/// is known.
bool PhaseExpansion::mayTake(BlockId block, const DecisionState &state, BlockId target) const {
  const FlowGraph &graph = *program.graph;
  LoopId loop = graph.loopOf(block);
  if (loop == kNone || graph.loops()[loop].header != block || !plan.loops()[loop].expanded())
    return true;
  bool stays = graph.loopContains(loop, target);
  const LoopPlan &own = plan.loops()[loop];
  if (std::optional<std::int64_t> trips = plan.tripsOf(loop)) {
    std::uint8_t phase = plan.phase(state, loop);
    if (stays ? phase >= *trips : phase != own.phaseOf(*trips))
      return false;
  }
  std::uint8_t left = plan.left(state, loop);
  return own.ahead == 0 || left == BranchPlan::kOutside || stays == (left != 0);
}

/// False if a loop of known length does not have that many iterations left in its phase.
bool PhaseExpansion::mayEnd(LoopId loop, const DecisionState &state, std::uint8_t left) const {
  const LoopPlan &own = plan.loops()[loop];
  std::optional<std::int64_t> trips = plan.tripsOf(loop);
  if (!trips || left > own.ahead)
    return true;
  return *trips >= left && own.phaseOf(*trips - left) == plan.phase(state, loop);
}

std::vector<DecisionState> PhaseExpansion::withChoices(const std::vector<DecisionState> &before, LoopId loop,
                                                       std::uint8_t fewest, std::uint8_t most) const {
  std::vector<DecisionState> after;
  for (const DecisionState &state : before)
    for (std::uint32_t left = fewest; left <= most; ++left)
      if (mayEnd(loop, state, static_cast<std::uint8_t>(left))) {
        after.push_back(state);
        plan.left(after.back(), loop) = static_cast<std::uint8_t>(left);
      }
  return after;
}

/// The states in front of the edge's target; several where the iterations that are left are chosen.
std::vector<DecisionState> PhaseExpansion::follow(const Place &from, const DecisionState &settled, const Edge &edge,
                                                  BlockId target) const {
  const FlowGraph &graph = *program.graph;
  if (!mayTake(from.first, settled, target))
    return {};
  std::vector<DecisionState> result = {settled};
  for (LoopId loop = 0; loop < plan.loops().size(); ++loop) {
    const LoopPlan &own = plan.loops()[loop];
    if (!own.expanded())
      continue;
    bool wasInside = graph.loopContains(loop, from.first), isInside = graph.loopContains(loop, edge.to);
    bool again = edge.around != kNone && edge.around != loop && graph.encloses(edge.around, loop);
    auto many = static_cast<std::uint8_t>(own.ahead + 1);
    BlockId header = graph.loops()[loop].header;
    if (!isInside || again || !wasInside) {
      for (DecisionState &state : result) {
        plan.phase(state, loop) = isInside ? 0 : BranchPlan::kOutside;
        plan.left(state, loop) = BranchPlan::kOutside;
      }
      // Entered behind its test.
      if (isInside && own.ahead > 0 && edge.to != header)
        result = withChoices(result, loop, 1, many);
    } else if (edge.around == loop) {
      std::uint8_t left = plan.left(settled, loop);
      for (DecisionState &state : result)
        plan.phase(state, loop) = static_cast<std::uint8_t>(own.phaseOf(plan.phase(state, loop) + 1));
      if (own.ahead > 0 && left != BranchPlan::kOutside)
        result = withChoices(result, loop, static_cast<std::uint8_t>(left - 1),
                             left == many ? many : static_cast<std::uint8_t>(left - 1));
    } else if (from.first == header && own.ahead > 0 && plan.left(settled, loop) == BranchPlan::kOutside) {
      result = withChoices(result, loop, 1, many);
    }
  }
  for (DecisionState &state : result)
    plan.forget(state, edge.to, edge.around);
  return result;
}

std::vector<PhaseExpansion::Way> PhaseExpansion::waysFrom(const Place &from) const {
  const Terminator &end = program.kernel->blocks[from.first].terminator;
  std::vector<Way> ways;
  bool branches = end.kind == Terminator::Kind::Branch && end.whenTrue != end.whenFalse;
  DecisionState behind = from.second;
  plan.pass(from.first, behind);
  std::vector<std::pair<bool, DecisionState>> outcomes = {{true, behind}};
  if (branches)
    outcomes = plan.outcomes(from.first, behind);
  const std::vector<Edge> &edges = program.edges[from.first];
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (const auto &[held, settled] : outcomes) {
      if (branches && named[from.first][i] != (held ? end.whenTrue : end.whenFalse))
        continue;
      for (DecisionState &state : follow(from, settled, edges[i], named[from.first][i])) {
        Way way{{edges[i].to, std::move(state)}, edges[i].around};
        if (std::find(ways.begin(), ways.end(), way) == ways.end())
          ways.push_back(std::move(way));
      }
    }
  return ways;
}

/// Every state from the kernel's start on; false if they are too many.
bool PhaseExpansion::explore(std::size_t most) {
  found.clear();
  Walk<Place> walk({{program.graph->order().front(), plan.start()}});
  while (std::optional<Place> place = walk.next()) {
    std::vector<Way> ways = waysFrom(*place);
    for (const Way &way : ways)
      walk.reach(way.to);
    if (walk.count() > most)
      return false;
    found[*place] = std::move(ways);
  }
  return true;
}

/// Steps of the states that were found; blocks that no state leads to keep their own, with their edges.
void PhaseExpansion::number() {
  auto blockCount = static_cast<BlockId>(program.steps.size());
  std::map<Place, StepId> steps;
  program.blockOf.resize(blockCount);
  states.assign(blockCount, plan.start());
  for (BlockId block = 0; block < blockCount; ++block)
    program.blockOf[block] = block;
  std::vector<bool> named(blockCount, false);
  for (const auto &[place, ways] : found) {
    if (!named[place.first]) {
      named[place.first] = true;
      steps[place] = place.first;
      states[place.first] = place.second;
      continue;
    }
    steps[place] = static_cast<StepId>(program.blockOf.size());
    program.blockOf.push_back(place.first);
    states.push_back(place.second);
  }
  program.steps.resize(program.blockOf.size());
  program.edges.resize(program.blockOf.size());
  for (const auto &[place, ways] : found) {
    StepId here = steps.at(place);
    if (here != place.first)
      program.steps[here] = program.steps[place.first];
    program.edges[here].clear();
    for (const Way &way : ways)
      program.edges[here].push_back({steps.at(way.to), way.around});
  }
  std::vector<std::vector<StepId>> copies(blockCount);
  for (StepId step = 0; step < program.blockOf.size(); ++step)
    copies[program.blockOf[step]].push_back(step);
  for (BlockId block : program.graph->order())
    program.order.insert(program.order.end(), copies[block].begin(), copies[block].end());
}

std::map<LoopId, std::uint32_t> PhaseExpansion::phasesOf(const DecisionState &state) const {
  std::map<LoopId, std::uint32_t> phases;
  for (LoopId loop = 0; loop < plan.loops().size(); ++loop)
    if (plan.loops()[loop].expanded() && plan.phase(state, loop) != BranchPlan::kOutside)
      phases[loop] = plan.phase(state, loop);
  return phases;
}

NodeId PhaseExpansion::ownNode(NodeId plain, std::vector<std::int64_t> key, Node as) {
  std::map<std::vector<std::int64_t>, NodeId> &known = ownNodes[plain];
  bool first = known.empty();
  auto [own, inserted] = known.try_emplace(std::move(key), plain);
  if (inserted && first) {
    program.nodes[plain] = std::move(as);
  } else if (inserted) {
    own->second = static_cast<NodeId>(program.nodes.size());
    program.nodes.push_back(std::move(as));
  }
  return own->second;
}

/// Gives instructions whose storage follows the phases of a loop the address they have there: of a loop with decided
/// branches, and of one with event ids if the options say so.
void PhaseExpansion::placeStorage() {
  const ScalarAlgebra &scalars = program.scalars->algebra();
  std::vector<Node> plain = program.nodes;
  for (StepId step : program.order)
    for (Event &event : program.steps[step]) {
      if (event.kind != Event::Kind::Access)
        continue;
      Node node = plain[event.node];
      std::vector<std::int64_t> bases;
      for (Access &access : node.accesses)
        std::erase_if(access.base.terms, [&](const Term &term) {
          const Atom &atom = scalars[term.atom];
          if (atom.kind != Atom::Kind::Table || atom.scope == kNone)
            return false;
          const LoopPlan &own = plan.loops()[atom.scope];
          std::uint8_t phase = plan.phase(states[step], atom.scope);
          auto size = static_cast<std::int64_t>(atom.table.size());
          bool told = own.branches || (own.expanded() && program.options.storageByIds);
          if (!told || phase == BranchPlan::kOutside || own.period % size != 0)
            return false;
          if (!own.branches)
            byIds.insert(atom.scope);
          std::int64_t entry = atom.table[phase % atom.table.size()];
          access.base.constant = wrappedSum(access.base.constant, term.coefficient, entry);
          bases.push_back(entry);
          return true;
        });
      if (!bases.empty())
        event.node = ownNode(event.node, std::move(bases), std::move(node));
    }
}

void PhaseExpansion::run(const std::vector<std::uint32_t> &idPeriods, const Visit &visit) {
  if (program.graph->order().empty())
    return;
  std::size_t most = std::max(kMostSteps, kMostCopiesEach * program.steps.size());
  if (!explore(most) && !(plan.dropVariables() && explore(most))) {
    plan.idsOnly(idPeriods,
                 "telling the phases of their loops apart takes more than " + std::to_string(most) + " steps");
    explore(std::numeric_limits<std::size_t>::max());
  }
  number();
  placeStorage();
  for (StepId here : program.order) {
    if (program.options.allowance.over())
      return;
    std::map<LoopId, std::uint32_t> phases = phasesOf(states[here]);
    if (!phases.empty())
      for (std::uint32_t at = 0; at < program.steps[here].size(); ++at)
        visit(here, at, phases);
  }
}

} // namespace ptosync
