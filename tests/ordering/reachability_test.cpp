#include "ordering/reachability.h"

#include "ordering/graph_kernel.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
