// A small world of loops and accesses: what the tests of access.h compare in.
#pragma once

#include "ordering/access.h"

#include <random>
#include <set>
#include <vector>

namespace ptosync::test {

/// Loops: outer { middle { inner {} } sibling {} }.
inline Kernel nestedLoops() {
  Kernel kernel;
  auto branch = [&](BlockId whenTrue, BlockId whenFalse) {
    Block block;
    block.terminator.kind = Terminator::Kind::Branch;
    block.terminator.condition = kernel.expressions.opaque(kBoolean);
    block.terminator.whenTrue = whenTrue;
    block.terminator.whenFalse = whenFalse;
    kernel.blocks.push_back(block);
  };
  auto jump = [&](BlockId to) {
    Block block;
    block.terminator.kind = Terminator::Kind::Jump;
    block.terminator.whenTrue = to;
    kernel.blocks.push_back(block);
  };
  jump(1);      // 0
  branch(2, 7); // 1: header of outer
  branch(3, 5); // 2: header of middle
  branch(3, 4); // 3: inner, one block
  jump(2);      // 4
  branch(5, 6); // 5: sibling, one block
  jump(1);      // 6
  kernel.blocks.push_back(Block{});
  return kernel;
}

class Loops {
public:
  Loops() : kernel(nestedLoops()), graph(kernel) {
    outer = graph.loopOf(1);
    middle = graph.loopOf(2);
    inner = graph.loopOf(3);
    sibling = graph.loopOf(5);
  }
  /// Outermost first.
  std::vector<LoopId> path(LoopId loop) const {
    std::vector<LoopId> result;
    for (; loop != kNone; loop = graph.loops()[loop].parent)
      result.insert(result.begin(), loop);
    return result;
  }
  Kernel kernel;
  FlowGraph graph;
  LoopId outer, middle, inner, sibling;
};

inline Access accessAt(ScalarValue base, Footprint bytes, std::uint32_t space = 0) {
  Access access;
  access.space = space;
  access.base = std::move(base);
  access.bytes = bytes;
  access.reads = access.writes = true;
  return access;
}

inline std::set<std::int64_t> bytesAt(const Footprint &footprint, std::int64_t base) {
  std::set<std::int64_t> bytes;
  for (std::int64_t row = 0; row < footprint.rows; ++row)
    for (std::int64_t byte = 0; byte < footprint.rowBytes; ++byte)
      bytes.insert(base + row * footprint.stride + byte);
  return bytes;
}

inline bool sharesByte(const Footprint &a, std::int64_t baseA, const Footprint &b, std::int64_t baseB) {
  std::set<std::int64_t> first = bytesAt(a, baseA);
  for (std::int64_t byte : bytesAt(b, baseB))
    if (first.count(byte))
      return true;
  return false;
}

inline Footprint randomFootprint(std::mt19937 &random) {
  std::int64_t bytes = 1 + random() % 4, rows = 1 + random() % 3;
  return rows == 1 ? Footprint{1, bytes, bytes}
                   : Footprint{rows, bytes, bytes + 1 + static_cast<std::int64_t>(random() % 4)};
}

} // namespace ptosync::test
