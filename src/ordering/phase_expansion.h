// Copies the blocks of a kernel, one per state of what decides event ids and branches.
//
//   block b, phase f of its loop --> step (b, f); back edge (latch, f) -> (header, f + 1)
//   branch that the state decides --> one edge instead of two
//
// A loop is entered in phase 0 because its iterations are counted from there. A loop of known length is left in the
// phase of its end only; one whose last iterations matter is entered, and goes round, with a choice of how many are
// left, which its test then keeps to. Exact: every run of the kernel is a path over steps, and a path that is left out
// is one that no run takes. States are found from the kernel's start on; where they are too many, nothing is expanded
// but for event ids. Where storage goes round with such a loop (`k % 2 ? a : b`), an instruction is a node of its own
// in each phase, at the address that it has there. That holds for loops of event ids too, as long as the ids are there
// (OrderingOptions::storageByIds). Tested by tests/ordering/phase_expansion_test.cpp.
#pragma once

#include "ordering/branch_plan.h"

#include <functional>
#include <map>

namespace ptosync {

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
