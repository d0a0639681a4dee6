// The control-flow graph of a kernel: loops, control dependence, and what flows along it.
//
//   corpus/every_fourth_iteration                       block, and what is said of it
//   for (v10 = 0; v10 < 12; v10 += 1) {                 1   header of a loop; iterations count its visits
//     if (v10 % 4 == 3) {                               2   control-dependent on 1
//       TLOAD(...); ... TSTORE(...);                    3   control-dependent on 2 and, through it, on 1
//     }
//   }                                                   4   v10 += 1: dependent on 1 alone, it runs either way
//   carried by the loop: v10, which is written in it and read at the header before it is written again
//
// Everything here is worked out from the graph alone, whatever a run does, and over-approximates. A loop is a strongly
// connected piece of the graph, its header the block where it is entered first; without the edges to its header the
// piece falls apart into the loops inside. That gives the natural loops of structured code, and something usable for
// every `goto`. It decides no verdict: a loop that is told wrongly would be run wrongly named, not compared wrongly.
// Tested by tests/replay/run/control_flow_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ptosync::replay {

/// Returns the blocks that a terminator may lead to.
std::vector<BlockId> successorsOf(const Terminator &terminator);

using LoopId = std::uint32_t;

struct Loop {
  BlockId header = kNone;
  LoopId parent = kNone;
  std::uint32_t depth = 0;     // 0: outermost
  std::uint32_t line = 0;      // of its condition or its first statement; 0 if neither has one
  std::vector<BlockId> blocks; // ascending, those of inner loops included
};

class LoopNest {
public:
  explicit LoopNest(const Kernel &kernel);

  const std::vector<Loop> &loops() const { return all; }
  /// Returns kNone for a block in no loop.
  LoopId innermost(BlockId block) const { return owner[block]; }
  bool contains(LoopId loop, BlockId block) const;
  /// Returns true if some path leads from the entry to `block`.
  bool reachable(BlockId block) const { return order[block] != kNone; }
  /// Returns the loops around `block`, outermost first.
  const std::vector<LoopId> &around(BlockId block) const { return chains[block]; }

private:
  void decompose(const std::vector<BlockId> &blocks, LoopId parent);
  std::vector<std::vector<BlockId>> components(const std::vector<BlockId> &blocks, BlockId withoutEdgesTo) const;

  std::vector<std::vector<BlockId>> successors;
  std::vector<std::uint32_t> order; // position in a depth-first reverse post-order; kNone: unreachable
  std::vector<Loop> all;
  std::vector<LoopId> owner;
  std::vector<std::vector<LoopId>> chains;
};

/// Which blocks run only if a branch goes one way. By post-dominators: a block depends on a branch if it is sure to run
/// behind one way of it and not behind the other. A block from which no path leads to the kernel's end depends on every
/// branch that leads to it.
class ControlDependence {
public:
  explicit ControlDependence(const Kernel &kernel);

  /// Returns the blocks that depend on the branch at the end of `block`, or on a branch in such a block.
  std::vector<bool> below(BlockId block) const;
  /// Returns true if `inside` runs only behind the way of the branch at the end of `block` that leads to `next`.
  bool isBehind(BlockId block, BlockId next, BlockId inside) const;

private:
  bool dominates(BlockId above, BlockId block) const;

  void numberDominated();

  std::vector<std::vector<BlockId>> successors, predecessors, direct; // direct: by branch
  std::vector<BlockId> dominator;                                     // immediate; kNone: not reachable
  // A walk of the tree of dominators enters a block, then all that it dominates, and leaves it: by block, as numbers.
  std::vector<std::size_t> entered, left;
};

/// Returns, by loop and ascending, the variables that carry values from one iteration to the next: the loop writes
/// them, and some path from its header reads them before it writes them again. A store to an array does not end its
/// values' life.
std::vector<std::vector<VariableId>> carriedVariables(const Kernel &kernel, const LoopNest &nest);

/// Finds what some variables and expressions are computed from, backwards through assignments and whatever the branches
/// do.
class BackwardFlow {
public:
  explicit BackwardFlow(const Kernel &kernel) : kernel(kernel), reached(kernel.variables.size(), false) {}

  void add(VariableId variable); // kNone: nothing
  void addValue(ExpressionId id);
  /// Adds what branches are decided by.
  void addBranches();
  /// Adds shapes, strides, valid regions and the rings of FIFOs.
  void addSizes();
  /// Follows all that was added through assignments.
  void spread();

  const std::vector<bool> &variables() const { return reached; }
  /// Arguments, queries and what the frontend does not follow.
  const std::set<ExpressionId> &leaves() const { return ends; }
  /// The numbers of the arguments among them.
  std::set<std::uint32_t> arguments() const;

private:
  const Kernel &kernel;
  std::vector<bool> reached; // by variable
  std::set<ExpressionId> ends;
  bool changed = false;
};

/// What a run is made for.
enum class Matters : std::uint8_t {
  Control,         // which way branches go
  Choices,         // that, and which arms of `a ? b : c` are taken
  ButGlobalMemory, // what is issued, but for places in global memory and scalar operands
  Everything,
};

/// Returns, by variable, whether it has a part in that.
std::vector<bool> relevantVariables(const Kernel &kernel, Matters matters);

} // namespace ptosync::replay
