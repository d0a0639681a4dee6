// Which variables matter for what a run is made for.
//
// Backwards through assignments, whatever is computed on the way; over-approximate.
// Tested by tests/replay/run/ways_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <vector>

namespace ptosync::replay {

// The loops of a kernel's control-flow graph, and which iteration an instruction belongs to.
//
// A loop is a strongly connected piece of the graph, its header the block where it is entered
// first; without the edges to its header the piece falls apart into the loops inside. That gives the natural
// loops of structured code, and something usable for every `goto`.
// Tested by tests/replay/run/control_flow_test.cpp.

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
  /// kNone: in no loop.
  LoopId innermost(BlockId block) const { return owner[block]; }
  bool contains(LoopId loop, BlockId block) const;
  /// True if some path leads from the entry to `block`.
  bool reachable(BlockId block) const { return order[block] != kNone; }
  /// The loops around `block`, outermost first.
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

/// The blocks a terminator may lead to.
std::vector<BlockId> successorsOf(const Terminator &terminator);

// Which blocks run only if a branch goes one way.
//
// By post-dominators: a block depends on a branch if it is sure to run behind one way of it and not behind the other. A
// block from which no path leads to the kernel's end depends on every branch that leads to it. Tested by
// tests/replay/run/ways_test.cpp.

class ControlDependence {
public:
  explicit ControlDependence(const Kernel &kernel);

  /// The blocks that depend on the branch at the end of `block`, or on a branch in such a block.
  std::vector<bool> below(BlockId block) const;
  /// The blocks that run only behind the way of the branch that leads to `next`.
  std::vector<bool> behind(BlockId block, BlockId next) const;

private:
  bool dominates(BlockId above, BlockId block) const;

  std::vector<std::vector<BlockId>> successors, predecessors, direct; // direct: by branch
  std::vector<BlockId> dominator;                                     // immediate; kNone: not reachable
};

// The variables that carry values from one iteration of a loop to the next.
//
// A variable is carried by a loop if the loop writes it and some path from the header reads it
// before writing it again. Over-approximate: partial writes (arrays) do not end a value's life.
// Tested by tests/replay/run/control_flow_test.cpp.

/// By loop, each list ascending.
std::vector<std::vector<VariableId>> carriedVariables(const Kernel &kernel, const LoopNest &nest);

enum class Matters : std::uint8_t {
  Control,         // which way branches go
  Choices,         // that, and which arms of `a ? b : c` are taken
  ButGlobalMemory, // what is issued, but for places in global memory and scalar operands
  Everything,
};

/// By variable.
std::vector<bool> relevantVariables(const Kernel &kernel, Matters matters);

} // namespace ptosync::replay
