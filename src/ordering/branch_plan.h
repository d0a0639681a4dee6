// What decides the branches of a kernel beyond constants, how far its loops must be told apart for it, and the copies
// of its blocks that tell them apart.
//
//   condition --parts--> follows iterations | says how many are left | one truth value, tested again | open
//   block b, phase f of its loop --PhaseExpansion--> step (b, f); back edge (latch, f) -> (header, f + 1)
//
//   for (k = 0; k < n; ++k) {
//     wait_flag(MTE2, V, k % 2)       two phases: the id is 0 in the one copy and 1 in the other
//     if (k + 1 < n)                  the loop's own test in the next iteration: an iteration that knows how many are
//       TLOAD(..)                     left knows the answer, so the last one is a copy of its own, without this edge
//     if (done) ..  if (done) ..      one truth value: the first test chooses it, the second repeats it
//   }
//
// `k % 4 == 0`, `(k / 4) % 2` and `k == 0` are known in each phase of the loop (iteration_shape.h). How many iterations
// are left is a choice that a path makes when it enters the loop, and the loop's test keeps to it. A truth value that
// no phase decides has one outcome until it may change (the next iteration of its scope). The test of a loop is such a
// value in the first iteration, where it compares what another test compares: `if (first < end)` in front of
// `for (i = first; i < end;)`. A variable that holds one of a few constants where it is tested (`bool done`, the result
// of a helper) has the one that the path has given it.
// Sound: a part is decided only if it follows from exact values; bounds of periods and copies leave it open, and
// `undecided` says so. Tested by tests/ordering/branch_plan_test.cpp.
#pragma once

#include "ordering/condition.h"
#include "ordering/iteration_shape.h"
#include "ordering/program.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// The iterations of a loop that are told apart: each of the prefix, then one per phase of the period; and the last
/// `ahead` ones from all before.
struct LoopPlan {
  std::int64_t prefix = 0, period = 1;
  std::uint32_t ahead = 0;
  bool branches = false; // for branches, not for event ids alone
  bool expanded() const { return prefix + period > 1 || ahead > 0; }
  std::int64_t phases() const { return prefix + period; }
  std::int64_t copies() const { return phases() * (ahead + 1); }
  std::int64_t phaseOf(std::int64_t iteration) const {
    return iteration < prefix ? iteration : prefix + (iteration - prefix) % period;
  }
};

/// What a path has settled where it stands. By loop: its phase and the iterations left; by followed value: its outcome;
/// by followed variable: its constant. A vector in one order of everything, so that states compare.
using DecisionState = std::vector<std::uint8_t>;

class BranchPlan {
public:
  static constexpr std::int64_t kLongestPeriod = 16;
  static constexpr std::int64_t kMostCopies = 64; // of a block
  static constexpr std::uint32_t kFarthestAhead = 3;
  static constexpr std::size_t kMostValues = 4;
  static constexpr std::uint8_t kOutside = 0xff; // phase: not in the loop; left: not chosen yet
  enum Outcome : std::uint8_t { kOpen, kFailed, kHeld };

  /// `idPeriods`: by loop, what its event ids ask for.
  BranchPlan(const Program &program, const std::vector<std::uint32_t> &idPeriods);

  const std::vector<LoopPlan> &loops() const { return plans; }
  bool expands() const;
  /// The exact number of iterations where the loop is told apart by phase and it is known. A loop that may run once
  /// only is a loop like any other: a verdict that hangs on that would take the prime and the drain of its flags apart.
  /// So is one, for event ids alone, that goes round them less than twice.
  std::optional<std::int64_t> tripsOf(LoopId loop) const;
  /// Why some branches stay open that might be decided; empty if there are none.
  const std::string &undecided() const { return reason; }
  /// Gives up everything but the event ids.
  void idsOnly(const std::vector<std::uint32_t> &idPeriods, std::string why);

  DecisionState start() const;
  std::uint8_t &phase(DecisionState &state, LoopId loop) const { return state[place[loop]]; }
  std::uint8_t phase(const DecisionState &state, LoopId loop) const { return state[place[loop]]; }
  std::uint8_t &left(DecisionState &state, LoopId loop) const { return state[plans.size() + loop]; }
  std::uint8_t left(const DecisionState &state, LoopId loop) const { return state[plans.size() + loop]; }

  /// Follows no variables any more; returns false if there were none.
  bool dropVariables();
  /// Turns the state in front of a block into the one behind its statements.
  void pass(BlockId block, DecisionState &state) const;
  /// Returns the ways the branch at a block's end can go from a state behind its statements, and what is settled then.
  /// At least one.
  std::vector<std::pair<bool, DecisionState>> outcomes(BlockId block, const DecisionState &state) const;
  /// Forgets the outcomes that may change on the way from one block to another, or are not asked for any more.
  void forget(DecisionState &state, BlockId to, LoopId around) const;

private:
  /// `k + 1 < n`: true where more than `ahead` iterations are left; `exactly`: true where `ahead` are.
  struct EndRule {
    LoopId loop;
    std::uint32_t ahead;
    bool exactly, negated;
  };
  struct Followed {
    AtomId atom;
    std::set<BlockId> tests;
    std::vector<bool> live; // by block: tested there or later, before it can change
  };
  /// The test of a loop that in its first iteration asks what a followed value, or its opposite, is.
  struct FirstTest {
    AtomId atom; // of the loop's test
    LoopId loop;
    std::size_t value; // number of the followed one
    bool negated;
  };
  struct FollowedVariable {
    VariableId variable;
    std::vector<std::int64_t> constants;  // the state has the number of one, from 1; 0: another value
    std::map<BlockId, std::uint8_t> left; // by block that changes it: what it has behind the block
    std::vector<bool> live;               // by block: tested there or later, before it is changed
  };
  using Places = std::map<AtomId, std::vector<BlockId>>;
  using FirstTests = std::map<AtomId, std::map<BlockId, FirstTest>>; // by what they ask in the first iteration

  void collect(const ScalarValue &value, BlockId block, Places &tested);
  void collectAtom(AtomId atom, BlockId block, Places &tested);
  bool requirePhases(AtomId atom, BlockId block);
  bool requireEnd(AtomId atom, BlockId block);
  bool require(const std::map<LoopId, LoopPlan> &wanted, std::uint32_t line);
  std::int64_t copiesAround(LoopId loop, const std::vector<LoopPlan> &wanted) const;
  void followValues(const Places &tested);
  FirstTests firstTestsOf(const Places &tested) const;
  void keepFirstTests(const std::map<BlockId, FirstTest> &tests);
  std::vector<bool> liveBlocks(AtomId atom, const std::vector<BlockId> &tests,
                               const std::map<BlockId, FirstTest> &first) const;
  void followVariables();
  std::optional<FollowedVariable> followedVariable(VariableId variable, const std::vector<BlockId> &tests) const;
  std::optional<std::int64_t> testOfConstants(BlockId block, const DecisionState &state) const;
  std::optional<std::int64_t> constantOf(ExpressionId expression, const DecisionState *state) const;
  void alignStorage();
  void tellShortLoops();
  std::map<std::uint32_t, int> settings(BlockId block) const;
  bool shareFlag(const std::vector<BlockId> &tests, const std::map<BlockId, FirstTest> &first) const;
  bool leavesLoop(BlockId block) const;
  std::optional<ScalarComparison> testOf(LoopId loop) const;
  std::optional<EndRule> endRule(const ScalarComparison &test, const ScalarComparison &asked, LoopId loop) const;
  std::uint8_t outcome(const DecisionState &state, std::size_t value) const { return state[2 * plans.size() + value]; }
  std::optional<std::int64_t> evaluate(const ScalarValue &value, BlockId block, const DecisionState &state,
                                       std::size_t &open) const;
  std::optional<std::int64_t> evaluate(AtomId atom, BlockId block, const DecisionState &state, std::size_t &open) const;

  const Program &program;
  const ScalarAlgebra &scalars;
  const FlowGraph &graph;
  IterationShapes shapes;
  const std::vector<std::optional<ScalarValue>> &conditions; // of the program
  std::vector<LoopPlan> plans;
  std::vector<std::size_t> place; // of a loop's phase in a state: inner loops first
  std::set<AtomId> phased;        // atoms that the phases decide
  std::map<AtomId, EndRule> endRules;
  std::vector<Followed> followed;
  std::map<BlockId, FirstTest> firstTests; // by header
  std::vector<FollowedVariable> variables;
  std::string reason;
};

/// Copies the blocks of a kernel, one per state of what decides event ids and branches; a branch that the state decides
/// has one edge instead of two. A loop is entered in phase 0 because its iterations are counted from there. A loop of
/// known length is left in the phase of its end only; one whose last iterations matter is entered, and goes round, with
/// a choice of how many are left. Exact: every run of the kernel is a path over steps, and a path that is left out is
/// one that no run takes. States are found from the kernel's start on; where they are too many, nothing is expanded but
/// for event ids. Where storage goes round with such a loop (`k % 2 ? a : b`), an instruction is a node of its own in
/// each phase, at the address that it has there. That holds for loops of event ids too, as long as the ids are there
/// (OrderingOptions::storageByIds).
class PhaseExpansion {
public:
  /// Steps in all: the larger of a number and so many for each block.
  static constexpr std::size_t kMostSteps = 4096, kMostCopiesEach = 16;

  /// `named`: by block, for each of its edges the block that its terminator names.
  PhaseExpansion(Program &program, BranchPlan &plan, std::vector<std::vector<BlockId>> named)
      : program(program), plan(plan), named(std::move(named)) {}

  /// Visits every event of every step that lies in an expanded loop, with the phases there.
  using Visit = std::function<void(StepId, std::uint32_t, const std::map<LoopId, std::uint32_t> &)>;
  void run(const std::vector<std::uint32_t> &idPeriods, const Visit &visit);
  /// The node that stands for `plain` where it is told apart by `key`: `plain` itself for the first key, a new one for
  /// each other. `as` is what the node is there.
  NodeId ownNode(NodeId plain, std::vector<std::int64_t> key, Node as);
  /// Behind `run`: loops that no branch would tell apart, in which storage has the address of its phase.
  const std::set<LoopId> &placedByIds() const { return byIds; }

private:
  using Place = std::pair<BlockId, DecisionState>;
  struct Way {
    Place to;
    LoopId around;
    bool operator==(const Way &) const = default;
  };

  bool explore(std::size_t most);
  std::vector<Way> waysFrom(const Place &from) const;
  std::vector<DecisionState> follow(const Place &from, const DecisionState &settled, const Edge &edge,
                                    BlockId target) const;
  bool mayTake(BlockId block, const DecisionState &state, BlockId target) const;
  std::vector<DecisionState> withChoices(const std::vector<DecisionState> &states, LoopId loop, std::uint8_t fewest,
                                         std::uint8_t most) const;
  bool mayEnd(LoopId loop, const DecisionState &state, std::uint8_t left) const;
  void number();
  void placeStorage();
  std::map<LoopId, std::uint32_t> phasesOf(const DecisionState &state) const;

  Program &program;
  BranchPlan &plan;
  std::vector<std::vector<BlockId>> named;
  std::map<Place, std::vector<Way>> found; // by block, then by state: the order of a block's copies
  std::vector<DecisionState> states;       // by step
  std::set<LoopId> byIds;
  std::map<NodeId, std::map<std::vector<std::int64_t>, NodeId>> ownNodes; // by plain node, then by key
};

} // namespace ptosync
