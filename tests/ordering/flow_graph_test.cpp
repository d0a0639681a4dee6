#include "ordering/flow_graph.h"

#include "kernel/graph_kernel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Blocks reachable from `from` over at least `atLeastOne` edges, never entering `without`.
std::set<BlockId> reachableFrom(const Successors &successors, BlockId from, BlockId without, bool includeStart) {
  std::set<BlockId> seen;
  std::vector<BlockId> work;
  auto push = [&](BlockId block) {
    if (block != without && seen.insert(block).second)
      work.push_back(block);
  };
  if (includeStart)
    push(from);
  else
    for (BlockId next : successors[from])
      push(next);
  while (!work.empty()) {
    BlockId block = work.back();
    work.pop_back();
    for (BlockId next : successors[block])
      push(next);
  }
  return seen;
}

bool dominatesByDefinition(const Successors &successors, BlockId above, BlockId below) {
  std::set<BlockId> live = reachableFrom(successors, 0, kNone, true);
  if (!live.count(above) || !live.count(below))
    return false;
  return above == below || !reachableFrom(successors, 0, above, true).count(below);
}

/// T1/T2: a graph is reducible exactly if removing self-loops and merging single-predecessor blocks leaves one.
bool reducibleByDefinition(const Successors &successors) {
  std::set<BlockId> live = reachableFrom(successors, 0, kNone, true);
  std::map<BlockId, std::set<BlockId>> next;
  for (BlockId block : live)
    for (BlockId target : successors[block])
      next[block].insert(target);
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId block : live)
      next[block].erase(block);
    for (BlockId block : std::set<BlockId>(live)) {
      if (block == 0)
        continue;
      std::vector<BlockId> predecessors;
      for (BlockId other : live)
        if (next[other].count(block))
          predecessors.push_back(other);
      if (predecessors.size() != 1)
        continue;
      next[predecessors[0]].erase(block);
      next[predecessors[0]].insert(next[block].begin(), next[block].end());
      live.erase(block);
      changed = true;
      break;
    }
  }
  return live.size() == 1;
}

/// The nearest block that is passed once for each time that `block` is: no way to it avoids `block`, the innermost loop
/// is the same, and no way from `block` to the end of the kernel, out of the loop or round it avoids the other.
BlockId equivalentByDefinition(const FlowGraph &graph, const Successors &successors, BlockId block) {
  const LoopId loop = graph.loopOf(block);
  auto ends = [&](BlockId at) {
    return successors[at].empty() || std::any_of(successors[at].begin(), successors[at].end(), [&](BlockId next) {
             return loop != kNone && (!graph.loopContains(loop, next) || next == graph.loops()[loop].header);
           });
  };
  std::set<BlockId> within = reachableFrom(successors, block, kNone, true);
  if (std::none_of(within.begin(), within.end(), ends))
    return kNone; // it never ends
  for (BlockId later : graph.order()) {
    if (later == block || graph.loopOf(later) != loop || !dominatesByDefinition(successors, block, later) ||
        (loop != kNone && later == graph.loops()[loop].header))
      continue;
    // Edges out of the iteration are not followed.
    std::set<BlockId> seen = {block};
    std::vector<BlockId> work = {block};
    bool avoided = false;
    while (!work.empty() && !avoided) {
      BlockId at = work.back();
      work.pop_back();
      avoided = ends(at);
      for (BlockId next : successors[at])
        if (next != later && seen.insert(next).second)
          work.push_back(next);
    }
    if (!avoided)
      return later;
  }
  return kNone;
}

} // namespace

TEST_CASE("flow graph: straight line and diamond", "[flow_graph]") {
  Kernel kernel = kernelOf({{1, 2}, {3}, {3}, {}});
  FlowGraph graph(kernel);
  CHECK(graph.reducible());
  CHECK(graph.loops().empty());
  CHECK(graph.order() == std::vector<BlockId>{0, 1, 2, 3}); // text order where it is free to choose
  CHECK(graph.dominates(0, 3));
  CHECK_FALSE(graph.dominates(1, 3));
  CHECK(graph.predecessors(3) == std::vector<BlockId>{1, 2});
  CHECK_FALSE(graph.reaches(1, 2));
  CHECK_FALSE(graph.reaches(0, 0)); // over at least one edge
}

TEST_CASE("flow graph: a branch with both successors the same has one edge", "[flow_graph]") {
  FlowGraph graph(kernelOf({{1, 1}, {}}));
  CHECK(graph.successors(0) == std::vector<BlockId>{1});
  CHECK(graph.predecessors(1) == std::vector<BlockId>{0});
}

TEST_CASE("flow graph: nested loops", "[flow_graph]") {
  // 0 -> 1(outer header) -> 2(inner header) -> 3 -> 2; 2 -> 4 -> 1; 1 -> 5
  FlowGraph graph(kernelOf({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}));
  REQUIRE(graph.loops().size() == 2);
  LoopId outer = graph.loopOf(1), inner = graph.loopOf(3);
  CHECK(graph.loops()[outer].header == 1);
  CHECK(graph.loops()[inner].header == 2);
  CHECK(graph.loops()[outer].blocks == std::vector<BlockId>{1, 2, 3, 4}); // with those of the inner loop
  CHECK(graph.loops()[inner].blocks == std::vector<BlockId>{2, 3});
  CHECK(graph.loops()[inner].parent == outer);
  CHECK(graph.loops()[outer].parent == kNone);
  CHECK(graph.depthOf(kNone) == 0);
  CHECK(graph.depthOf(outer) == 1);
  CHECK(graph.depthOf(inner) == 2);
  CHECK(graph.loopOf(4) == outer);
  CHECK(graph.loopOf(5) == kNone);
  CHECK(graph.loopContains(outer, 3));
  CHECK_FALSE(graph.loopContains(inner, 4));
  for (BlockId block : {1, 2, 4}) // 3: the inner loop may not run
    CHECK(graph.everyIteration(outer, block));
  CHECK_FALSE(graph.everyIteration(outer, 3));
  CHECK(graph.everyIteration(inner, 3));
  CHECK(graph.encloses(outer, inner));
  CHECK(graph.encloses(inner, inner));
  CHECK_FALSE(graph.encloses(inner, outer));
  CHECK_FALSE(graph.encloses(inner, kNone));
  CHECK(graph.commonLoop(inner, outer) == outer);
  CHECK(graph.commonLoop(inner, kNone) == kNone);
  CHECK(graph.backEdge(3, 2) == inner);
  CHECK(graph.backEdge(4, 1) == outer);
  CHECK(graph.backEdge(2, 4) == kNone); // leaves the inner loop
  CHECK(graph.backEdge(1, 2) == kNone); // enters it
  CHECK(graph.reaches(3, 3));
  CHECK(graph.reaches(4, 3)); // round the outer loop
  CHECK_FALSE(graph.reaches(5, 1));
}

TEST_CASE("flow graph: sibling loops have no common loop", "[flow_graph]") {
  FlowGraph graph(kernelOf({{1}, {1, 2}, {2, 3}, {}}));
  REQUIRE(graph.loops().size() == 2);
  CHECK(graph.loopOf(1) != graph.loopOf(2));
  CHECK(graph.commonLoop(graph.loopOf(1), graph.loopOf(2)) == kNone);
  CHECK(graph.backEdge(1, 1) == graph.loopOf(1)); // a loop of one block
}

TEST_CASE("flow graph: two back edges to one header are one loop", "[flow_graph]") {
  FlowGraph graph(kernelOf({{1}, {2, 4}, {1, 3}, {1}, {}}));
  REQUIRE(graph.loops().size() == 1);
  CHECK(graph.loops()[0].latches.size() == 2);
  CHECK(graph.loops()[0].blocks == std::vector<BlockId>{1, 2, 3});
}

TEST_CASE("flow graph: a cycle with two entries is irreducible", "[flow_graph]") {
  FlowGraph graph(kernelOf({{1, 2}, {2}, {1, 3}, {}}));
  CHECK_FALSE(graph.reducible());
}

TEST_CASE("flow graph: unreachable blocks take no part", "[flow_graph]") {
  FlowGraph graph(kernelOf({{2}, {2}, {}}));
  CHECK_FALSE(graph.reachable(1));
  CHECK(graph.order() == std::vector<BlockId>{0, 2});
  CHECK(graph.predecessors(2) == std::vector<BlockId>{0}); // not block 1
  CHECK_FALSE(graph.dominates(1, 2));
  CHECK_FALSE(graph.dominates(0, 1));
}

TEST_CASE("flow graph: what a `continue` passes by runs less often", "[flow_graph]") {
  // while (true) { 1; if (c) continue; 2; if (d) break; } 3
  FlowGraph graph(kernelOf({{1}, {1, 2}, {1, 3}, {}}));
  CHECK(graph.nextEquivalent(1) == kNone);
  CHECK(graph.previousEquivalent(2) == kNone);
  CHECK(graph.nextEquivalent(0) == 3);
  // The same with a join in front of the way round: 1; if (c) 2; 3; round or out.
  FlowGraph joined(kernelOf({{1}, {2, 3}, {3}, {1, 4}, {}}));
  CHECK(joined.nextEquivalent(1) == 3);
  CHECK(joined.nextEquivalent(2) == kNone);
  CHECK(joined.previousEquivalent(3) == 1);
}

TEST_CASE("flow graph: random graphs against the definitions", "[flow_graph]") {
  std::mt19937 random(7);
  int reducible = 0, irreducible = 0;
  for (int round = 0; round < 600; ++round) {
    BlockId count = 2 + random() % 7;
    Successors successors(count);
    for (BlockId block = 0; block < count; ++block)
      for (unsigned edge = block + 1 == count ? 0 : 1 + random() % 2; edge > 0; --edge)
        successors[block].push_back(random() % count);
    std::string shape;
    for (const auto &next : successors) {
      shape += "[";
      for (BlockId target : next)
        shape += std::to_string(target) + " ";
      shape += "]";
    }
    INFO(shape);
    FlowGraph graph(kernelOf(successors));
    std::set<BlockId> live = reachableFrom(successors, 0, kNone, true);
    for (BlockId a = 0; a < count; ++a) {
      REQUIRE(graph.reachable(a) == (live.count(a) == 1));
      std::set<BlockId> behind = reachableFrom(successors, a, kNone, false);
      for (BlockId b = 0; b < count; ++b) {
        REQUIRE(graph.dominates(a, b) == dominatesByDefinition(successors, a, b));
        if (live.count(a))
          REQUIRE(graph.reaches(a, b) == (behind.count(b) == 1));
      }
    }
    REQUIRE(graph.reducible() == reducibleByDefinition(successors));
    (graph.reducible() ? reducible : irreducible)++;
    if (!graph.reducible())
      continue;
    // Natural loops: a header for each back edge, and every block that reaches the latch without passing the header.
    std::map<BlockId, std::set<BlockId>> expected;
    for (BlockId from : live)
      for (BlockId to : successors[from])
        if (dominatesByDefinition(successors, to, from)) {
          expected[to].insert({to, from});
          for (BlockId block : live)
            if (block != to && reachableFrom(successors, block, to, true).count(from))
              expected[to].insert(block);
          REQUIRE(graph.backEdge(from, to) != kNone);
          REQUIRE(graph.loops()[graph.backEdge(from, to)].header == to);
        } else {
          REQUIRE(graph.backEdge(from, to) == kNone);
        }
    REQUIRE(graph.loops().size() == expected.size());
    for (const Loop &loop : graph.loops())
      REQUIRE(std::set<BlockId>(loop.blocks.begin(), loop.blocks.end()) == expected[loop.header]);
    for (BlockId block : live) {
      REQUIRE(graph.nextEquivalent(block) == equivalentByDefinition(graph, successors, block));
      // The innermost loop is the smallest that holds the block.
      std::size_t depth = 0, smallest = count + 1;
      for (const auto &[header, blocks] : expected)
        if (blocks.count(block)) {
          ++depth;
          smallest = std::min(smallest, blocks.size());
        }
      REQUIRE(graph.depthOf(graph.loopOf(block)) == depth);
      if (depth)
        REQUIRE(graph.loops()[graph.loopOf(block)].blocks.size() == smallest);
    }
  }
  CHECK(reducible > 100);
  CHECK(irreducible > 10);
}

namespace {

/// 0 -> 1 (outer header) -> 2 (inner header) -> 3 -> 2; 2 -> 4 -> 1; 1 -> 5; 6 -> 5, which nothing leads to.
Kernel loopInLoop() { return kernelOf({{1}, {2, 5}, {3, 4}, {2}, {1}, {}, {5}}); }

} // namespace

TEST_CASE("reachability: over every edge, round loops too, and over one at least") {
  FlowGraph graph(loopInLoop());
  Reachability reach(graph);
  CHECK(reach.reaches(0, 5));
  CHECK_FALSE(reach.reaches(0, 0));
  CHECK(reach.reaches(4, 3));
  CHECK(reach.reaches(3, 3));
  CHECK_FALSE(reach.reaches(5, 1));
}

TEST_CASE("reachability: within one iteration of a loop, those inside it go round") {
  FlowGraph graph(loopInLoop());
  Reachability inOuter(graph, graph.loopOf(4)), inInner(graph, graph.loopOf(3));
  CHECK(inOuter.reaches(1, 4));
  CHECK_FALSE(inOuter.reaches(4, 1));
  CHECK_FALSE(inOuter.reaches(4, 3));
  CHECK(inOuter.reaches(3, 3));
  CHECK_FALSE(inInner.reaches(3, 3)); // nor round what is outside it
  CHECK_FALSE(inInner.reaches(4, 3));
  CHECK(inInner.reaches(2, 3));
}

TEST_CASE("reachability: a block that the kernel never reaches reaches nothing") {
  FlowGraph graph(loopInLoop());
  Reachability reach(graph);
  CHECK_FALSE(reach.reaches(6, 5));
  CHECK_FALSE(reach.reaches(0, 6));
}
