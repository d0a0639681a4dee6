#include "replay/run/control_flow.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// A kernel of empty blocks; each leads to the listed ones.
Kernel graph(const std::vector<std::vector<BlockId>> &edges) {
  Kernel kernel;
  for (const std::vector<BlockId> &next : edges) {
    Block block;
    if (!next.empty()) {
      block.terminator.kind = next.size() == 1 ? Terminator::Kind::Jump : Terminator::Kind::Branch;
      block.terminator.whenTrue = next[0];
      block.terminator.whenFalse = next.back();
    }
    kernel.blocks.push_back(block);
  }
  return kernel;
}

} // namespace

TEST_CASE("replay: nested loops, outermost first") {
  // 0 -> 1 (outer header) -> 2 (inner header) <-> 3; 2 -> 4 -> 1; 1 -> 5
  LoopNest nest(graph({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}));
  REQUIRE(nest.loops().size() == 2);
  CHECK(nest.loops()[0].header == 1);
  CHECK(nest.loops()[0].blocks == std::vector<BlockId>{1, 2, 3, 4});
  CHECK(nest.loops()[1].header == 2);
  CHECK(nest.loops()[1].parent == 0);
  CHECK(nest.around(3) == std::vector<LoopId>{0, 1});
  CHECK(nest.around(4) == std::vector<LoopId>{0});
  CHECK(nest.around(5).empty());
  CHECK(nest.contains(0, 3));
  CHECK_FALSE(nest.contains(1, 4));
}

TEST_CASE("replay: a block that jumps to itself is a loop, one that nothing reaches is none") {
  LoopNest nest(graph({{1}, {1, 2}, {}, {3}}));
  REQUIRE(nest.loops().size() == 1);
  CHECK(nest.loops()[0].header == 1);
  CHECK_FALSE(nest.reachable(3));
  CHECK(nest.innermost(3) == kNone);
}

TEST_CASE("replay: a loop with two entries still is one loop") {
  LoopNest nest(graph({{1, 2}, {2}, {1, 3}, {}}));
  REQUIRE(nest.loops().size() == 1);
  CHECK(nest.loops()[0].blocks == std::vector<BlockId>{1, 2});
}

namespace {

std::string carried(const std::string &body) {
  Module module = lift(vectorKernel(body));
  const Kernel &kernel = module.kernels[0];
  LoopNest nest(kernel);
  std::string text;
  for (const std::vector<VariableId> &variables : carriedVariables(kernel, nest)) {
    for (VariableId variable : variables)
      text += kernel.variables[variable].name + " ";
    text += "| ";
  }
  return text;
}

} // namespace

TEST_CASE("replay: a loop carries what it writes and reads again before writing") {
  CHECK(carried("  int32_t sum = 0;\n  for (int32_t i = 0; i < n; i += 1) {\n    int32_t twice = i * 2;\n"
                "    sum = sum + twice;\n  }\n  out[sum] = 1.0f;\n") == "sum i | ");
}

TEST_CASE("replay: an inner counter is carried by the inner loop only") {
  CHECK(
      carried("  for (int32_t i = 0; i < n; i += 1)\n    for (int32_t j = 0; j < i; j += 1)\n      out[j] = 1.0f;\n") ==
      "i | j | ");
}

namespace {

const std::string kFlowTile = tile("a", "float", 1, 8, 0); // in line 4: what is given stands from line 5 on
const std::string kFlowWork = "  TEXP(a, a);\n";

std::set<BlockId> blocksIn(const std::vector<bool> &set) {
  std::set<BlockId> blocks;
  for (BlockId block = 0; block < set.size(); ++block)
    if (set[block])
      blocks.insert(block);
  return blocks;
}

/// Blocks by their successors: none, one, or the one where the condition holds and the other.
Kernel shapeOf(const std::vector<std::vector<BlockId>> &successors) {
  Kernel kernel;
  const ExpressionId condition = kernel.expressions.opaque(kBoolean);
  for (const std::vector<BlockId> &next : successors) {
    Block block;
    if (next.size() == 1) {
      block.terminator.kind = Terminator::Kind::Jump;
      block.terminator.whenTrue = next[0];
    } else if (next.size() == 2) {
      block.terminator.kind = Terminator::Kind::Branch;
      block.terminator.condition = condition;
      block.terminator.whenTrue = next[0];
      block.terminator.whenFalse = next[1];
    }
    kernel.blocks.push_back(block);
  }
  return kernel;
}

} // namespace

TEST_CASE("control dependence: blocks that run only if a branch goes one way") {
  const Kernel arms = shapeOf({{1, 2}, {3}, {3}, {}});
  CHECK(blocksIn(ControlDependence(arms).below(0)) == std::set<BlockId>{1, 2});
  CHECK(blocksIn(ControlDependence(arms).behind(0, 1)) == std::set<BlockId>{1});
  const Kernel joined = shapeOf({{1, 2}, {2}, {3}, {}}); // 2 is come to either way
  CHECK(blocksIn(ControlDependence(joined).behind(0, 2)).empty());
  const Kernel loop = shapeOf({{1}, {2, 3}, {1}, {}});
  CHECK(blocksIn(ControlDependence(loop).below(1)) == std::set<BlockId>{1, 2}); // its own next test, too
  CHECK(blocksIn(ControlDependence(loop).behind(1, 3)) == std::set<BlockId>{3});
  const Kernel nested = shapeOf({{1, 4}, {2, 3}, {3}, {4}, {}});
  CHECK(blocksIn(ControlDependence(nested).below(0)) == std::set<BlockId>{1, 2, 3});
  CHECK(blocksIn(ControlDependence(nested).below(1)) == std::set<BlockId>{2});
  const Kernel endless = shapeOf({{1, 2}, {1}, {}}); // one arm never comes to the end
  CHECK(ControlDependence(endless).below(0)[1]);
}

TEST_CASE("relevance: what decides is found through arrays, whichever element is read") {
  auto relevant = [](const std::string &body, const std::string &name) {
    Module module = lift(vectorKernel(kFlowTile + body));
    const Kernel &kernel = module.kernels.at(0);
    const std::vector<bool> found = relevantVariables(kernel, Matters::Control);
    for (VariableId id = 0; id < kernel.variables.size(); ++id)
      if (kernel.variables[id].name == name)
        return bool(found[id]);
    throw std::out_of_range(name);
  };
  const std::string stored = "  int32_t m = n + 1;\n  int32_t c[2] = {0, 0};\n  c[n & 1] = m;\n";
  CHECK(relevant(stored + "  if (c[n & 1] > 2)\n  " + kFlowWork, "m"));
  CHECK(relevant(stored + "  if (c[0] > 2)\n  " + kFlowWork, "m"));
  CHECK(relevant(stored + "  if (c[1] > 2)\n  " + kFlowWork, "m"));
  CHECK_FALSE(relevant(stored + "  if (n > 2)\n  " + kFlowWork, "m"));
  CHECK(relevant("  int32_t m = n + 1;\n  int32_t l = m;\n  if (l > 2)\n  " + kFlowWork, "m"));
}
