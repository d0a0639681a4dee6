#include "replay/run/control_flow.h"

#include "kernel/graph_kernel.h"
#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

TEST_CASE("replay: nested loops, outermost first") {
  // 0 -> 1 (outer header) -> 2 (inner header) <-> 3; 2 -> 4 -> 1; 1 -> 5
  LoopNest nest(kernelOf({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}));
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
  LoopNest nest(kernelOf({{1}, {1, 2}, {}, {3}}));
  REQUIRE(nest.loops().size() == 1);
  CHECK(nest.loops()[0].header == 1);
  CHECK_FALSE(nest.reachable(3));
  CHECK(nest.innermost(3) == kNone);
}

TEST_CASE("replay: a loop with two entries still is one loop") {
  LoopNest nest(kernelOf({{1, 2}, {2}, {1, 3}, {}}));
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

const std::string kFlowWork = "  TEXP(a, a);\n";

std::set<BlockId> blocksIn(const std::vector<bool> &set) {
  std::set<BlockId> blocks;
  for (BlockId block = 0; block < set.size(); ++block)
    if (set[block])
      blocks.insert(block);
  return blocks;
}

std::set<BlockId> blocksBehind(const Kernel &kernel, BlockId block, BlockId next) {
  const ControlDependence control(kernel);
  std::set<BlockId> blocks;
  for (BlockId inside = 0; inside < kernel.blocks.size(); ++inside)
    if (control.isBehind(block, next, inside))
      blocks.insert(inside);
  return blocks;
}

} // namespace

TEST_CASE("control dependence: blocks that run only if a branch goes one way") {
  const Kernel arms = kernelOf({{1, 2}, {3}, {3}, {}});
  CHECK(blocksIn(ControlDependence(arms).below(0)) == std::set<BlockId>{1, 2});
  CHECK(blocksBehind(arms, 0, 1) == std::set<BlockId>{1});
  const Kernel joined = kernelOf({{1, 2}, {2}, {3}, {}}); // 2 is come to either way
  CHECK(blocksBehind(joined, 0, 2).empty());
  const Kernel loop = kernelOf({{1}, {2, 3}, {1}, {}});
  CHECK(blocksIn(ControlDependence(loop).below(1)) == std::set<BlockId>{1, 2}); // its own next test, too
  CHECK(blocksBehind(loop, 1, 3) == std::set<BlockId>{3});
  const Kernel nested = kernelOf({{1, 4}, {2, 3}, {3}, {4}, {}});
  CHECK(blocksIn(ControlDependence(nested).below(0)) == std::set<BlockId>{1, 2, 3});
  CHECK(blocksIn(ControlDependence(nested).below(1)) == std::set<BlockId>{2});
  const Kernel endless = kernelOf({{1, 2}, {1}, {}}); // one arm never comes to the end
  CHECK(ControlDependence(endless).below(0)[1]);
}

TEST_CASE("relevance: what decides is found through arrays, whichever element is read") {
  auto relevant = [](const std::string &body, const std::string &name) {
    Module module = lift(vectorKernel(kRowTile + body));
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
