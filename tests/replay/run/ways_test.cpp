// Which ways a kernel may go, what decides them, and which of them none of its inputs leads to.
#include "replay/run/ways.h"

#include "replay/choose/impossible_ways.h"
#include "replay/replayed.h"
#include "replay/run/control_flow.h"

#include <random>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const std::string kWorkTile = tile("a", "float", 1, 8, 0); // in line 4: what is given stands from line 5 on
const std::string kWork = "  TEXP(a, a);\n";

/// "5+ 7-": lines of ways, `+` where the condition holds.
std::string listed(const Ways &ways, const std::set<Way> &some) {
  std::set<std::string> names;
  for (const Way &way : some)
    names.insert(std::to_string(ways.lineOf(way)) + (way.taken ? "+" : "-"));
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string openWays(const std::string &body) {
  Replayed kernel(vectorKernel(kWorkTile + body));
  const Ways &ways = kernel.subject->ways();
  return listed(ways, {ways.open().begin(), ways.open().end()});
}

std::string impossible(const std::string &body) {
  Replayed kernel(vectorKernel(kWorkTile + body));
  const Ways &ways = kernel.subject->ways();
  return listed(ways, impossibleWays(*kernel.subject, {ways.open().begin(), ways.open().end()}));
}

/// What the condition of the first open way depends on.
std::set<std::string> inputsOfFirst(const std::string &body) {
  Replayed kernel(vectorKernel(kWorkTile + body));
  const Ways &ways = kernel.subject->ways();
  return ways.open().empty() ? std::set<std::string>{} : ways.inputsOf(ways.open().front());
}

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

TEST_CASE("ways: open are those that inputs decide") {
  CHECK(openWays("  if (n > 3)\n  " + kWork) == "5+ 5-");
  CHECK(openWays("  int32_t c = 4;\n  if (c == 4)\n  " + kWork).empty());
  CHECK(openWays("  int32_t c = 0;\n  if (n > 3)\n    c = 1;\n  if (c == 1)\n  " + kWork) == "6+ 6- 8+ 8-");
  CHECK(openWays("  TASSIGN(a, (uint64_t) (n > 3 ? 0 : 32));\n" + kWork) == "5+ 5-");
  CHECK(openWays("  for (int32_t i = 0; i < 4; i += 1)\n  " + kWork).empty());
  CHECK(openWays("  if (get_block_idx() == 0)\n  " + kWork) == "5+ 5-");
}

TEST_CASE("ways: what a condition is computed from") {
  using Names = std::set<std::string>;
  CHECK(inputsOfFirst("  int32_t m = n * 2;\n  if (m == 4)\n  " + kWork) == Names{"n"});
  CHECK(inputsOfFirst("  if (((__gm__ int32_t *) in)[0] > 2)\n  " + kWork) == Names{"memory"});
  CHECK(inputsOfFirst("  if (get_block_idx() + n > 2)\n  " + kWork) == Names{"get_block_idx()", "n"});
  CHECK(inputsOfFirst("  int32_t c[2] = {0, 0};\n  c[n & 1] = n;\n  if (c[1] > 2)\n  " + kWork) == Names{"n"});
}

TEST_CASE("ways: behind a way that no run has taken nothing is possible") {
  Replayed kernel(vectorKernel(kWorkTile + "  if (n > 3)\n  " + kWork + "  TEXP(a, a);\n"));
  const Ways &ways = kernel.subject->ways();
  REQUIRE(ways.open().size() == 2);
  const std::vector<bool> all = ways.possible({});
  CHECK(std::find(all.begin(), all.end(), false) == all.end()); // whatever is open may be taken yet
  const Way inside = ways.open()[ways.open()[0].taken ? 0 : 1];
  const std::vector<bool> without = ways.possible({}, {inside});
  CHECK(std::count(without.begin(), without.end(), false) == 1);
}

TEST_CASE("control dependence: blocks that run only if a branch goes one way") {
  const Kernel arms = shapeOf({{1, 2}, {3}, {3}, {}});
  CHECK(blocksIn(ControlDependence(arms).below(0)) == std::set<BlockId>{1, 2});
  CHECK(blocksIn(ControlDependence(arms).behind(0, 1)) == std::set<BlockId>{1});
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
    Module module = lift(vectorKernel(kWorkTile + body));
    const Kernel &kernel = module.kernels.at(0);
    const std::vector<bool> found = relevantVariables(kernel, Matters::Control);
    for (VariableId id = 0; id < kernel.variables.size(); ++id)
      if (kernel.variables[id].name == name)
        return bool(found[id]);
    throw std::out_of_range(name);
  };
  const std::string stored = "  int32_t m = n + 1;\n  int32_t c[2] = {0, 0};\n  c[n & 1] = m;\n";
  CHECK(relevant(stored + "  if (c[n & 1] > 2)\n  " + kWork, "m"));
  CHECK(relevant(stored + "  if (c[0] > 2)\n  " + kWork, "m"));
  CHECK(relevant(stored + "  if (c[1] > 2)\n  " + kWork, "m"));
  CHECK_FALSE(relevant(stored + "  if (n > 2)\n  " + kWork, "m"));
  CHECK(relevant("  int32_t m = n + 1;\n  int32_t l = m;\n  if (l > 2)\n  " + kWork, "m"));
}

TEST_CASE("impossible ways: by what must hold where they are") {
  const std::string odd =
      "  int64_t m = n;\n  if (m - (m - 1) / 2 * 2 - 1 == 1) {\n    if (m < 0)\n  " + kWork + "  }\n";
  CHECK(impossible(odd) == "7+");
  CHECK(impossible("  if (n > 3) {\n    if (n > 1)\n  " + kWork + "  }\n") == "6-");
  CHECK(impossible("  if (n > 3) {\n    if (n > 5)\n  " + kWork + "  }\n").empty());
  CHECK(impossible("  int32_t m = n;\n  if (m > 3) {\n    m = m - 100;\n    if (m > 1)\n  " + kWork + "  }\n").empty());
  CHECK(impossible("  for (int32_t i = 0; i < n; i += 1) {\n    if (i < 0)\n  " + kWork + "  }\n") == "6+");
}

TEST_CASE("impossible ways: none that a run takes, of random conditions") {
  std::mt19937 random(5);
  auto pick = [&](int low, int high) {
    return std::to_string(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  };
  auto condition = [&](const std::string &x) {
    switch (random() % 7) {
    case 0: return "(" + x + " + " + pick(-9, 9) + ") / " + pick(2, 5) + " == " + pick(-3, 4);
    case 1: return x + " % " + pick(2, 5) + " == " + pick(-2, 4);
    case 2: return x + " * " + pick(2, 5) + " > " + pick(-40, 40);
    case 3: return "(" + x + " & 7) < " + pick(0, 8);
    case 4: return x + " - " + x + " / 4 * 4 == " + pick(-1, 4);
    case 5: return "(" + x + " < 0 ? 0 : " + x + ") >= " + pick(-1, 9);
    default: return x + (random() % 2 ? " < " : " >= ") + pick(-20, 20);
    }
  };
  std::size_t found = 0, taken = 0;
  for (int kernels = 0; kernels < 60; ++kernels) {
    std::string body = "  int64_t m = n;\n  int64_t l = m * " + pick(1, 3) + " + " + pick(-5, 5) + ";\n";
    for (int depth = 0; depth < 4; ++depth)
      body += "  if (" + condition(random() % 2 ? "m" : "l") + ") {\n" + kWork;
    body += "  }\n  }\n  }\n  }\n";
    Replayed kernel(vectorKernel(kWorkTile + body));
    const Ways &ways = kernel.subject->ways();
    const std::set<Way> none = impossibleWays(*kernel.subject, {ways.open().begin(), ways.open().end()});
    found += none.size();
    for (std::int64_t n = -60; n <= 60; ++n)
      for (const Way &way : kernel.runWith(n).ways) {
        ++taken;
        if (none.count(way))
          FAIL_CHECK(body << "line " << ways.lineOf(way) << " with n = " << n);
      }
  }
  CHECK(found > 20);
  CHECK(taken > 5000);
}
