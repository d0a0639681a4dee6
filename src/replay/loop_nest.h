// The loops of a kernel's control-flow graph, and which iteration an instruction belongs to.
//
// A loop is a strongly connected piece of the graph, its header the block where it is entered
// first; without the edges to its header the piece falls apart into the loops inside. That gives the natural
// loops of structured code, and something usable for every `goto`.
// Tested by tests/replay/loop_nest_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <vector>

namespace ptosync::replay {

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

} // namespace ptosync::replay
