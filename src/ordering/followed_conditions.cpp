// BranchPlan: conditions that are tested again, and variables that hold constants where they are tested.
#include "base/walk.h"
#include "ordering/branch_plan.h"
#include "ordering/implied_condition.h"

#include <algorithm>

namespace ptosync {

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

} // namespace ptosync
