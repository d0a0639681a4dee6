// A kernel of empty blocks, for tests of its control flow alone.
#pragma once

#include "kernel/kernel.h"

#include <vector>

namespace ptosync::test {

using Successors = std::vector<std::vector<BlockId>>; // zero, one or two each

/// Blocks without successors return.
inline Kernel kernelOf(const Successors &successors) {
  Kernel kernel;
  for (const std::vector<BlockId> &next : successors) {
    Block block;
    if (next.size() == 1) {
      block.terminator.kind = Terminator::Kind::Jump;
      block.terminator.whenTrue = next[0];
    } else if (next.size() == 2) {
      block.terminator.kind = Terminator::Kind::Branch;
      block.terminator.condition = kernel.expressions.opaque(kBoolean);
      block.terminator.whenTrue = next[0];
      block.terminator.whenFalse = next[1];
    }
    kernel.blocks.push_back(block);
  }
  return kernel;
}

} // namespace ptosync::test
