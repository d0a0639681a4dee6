#include "explain/memory_budget.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<KernelBudget> budgets(const std::string &text) { return memoryBudgets(lift(text), machineOf("a3"), {}); }

const SpaceBudget &space(const std::vector<KernelBudget> &list, const std::string &name) {
  for (const SpaceBudget &budget : list.at(0).spaces)
    if (budget.space == name)
      return budget;
  throw std::runtime_error("no " + name);
}

/// "[0, 1024) a,b 10-12 x3".
std::vector<std::string> holders(const SpaceBudget &budget) {
  std::vector<std::string> list;
  for (const MemoryHolder &holder : budget.holders) {
    std::string text = "[" + std::to_string(holder.begin) + ", " + std::to_string(holder.end) + ")";
    for (std::size_t i = 0; i < holder.names.size(); ++i)
      text += (i ? "," : " ") + holder.names[i];
    list.push_back(text + " " + std::to_string(holder.firstLine) + "-" + std::to_string(holder.lastLine) + " x" +
                   std::to_string(holder.uses) + (holder.scratch ? " scratch" : ""));
  }
  return list;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("memory budget: holders, peak, slack and overlaps") {
  auto list =
      budgets(fourTiles(rowsAt("same", 4, "1024") + rowsAt("part", 2, "1536") + // lines 4 to 11
                        "  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(same, b, 1.0f);\n  TADDS(part, part, 1.0f);\n"));
  const SpaceBudget &ub = space(list, "UB");
  CHECK(holders(ub) == Lines{"[0, 1024) a 12-13 x2", "[1024, 2048) b,same 13-14 x2", "[1536, 2048) part 15-15 x1"});
  CHECK(ub.bytes == 196608);
  CHECK(ub.peakExtent == 2048); // c and d are declared and never used
  CHECK(ub.covered == 2048);
  REQUIRE(ub.overlaps.size() == 1);
  CHECK(ub.overlaps[0].begin == 1536);
  CHECK(ub.overlaps[0].end == 2048);
  CHECK(ub.unplaced.empty());
}

TEST_CASE("memory budget: each memory for itself, scratch and hidden scratch by name") {
  auto cube = budgets(vectorKernel(matrixTiles() + "  TMATMUL(c, l, r);\n"));
  CHECK(space(cube, "L0A").peakExtent == 512);
  CHECK(space(cube, "L0B").peakExtent == 512);
  CHECK(space(cube, "L0C").peakExtent == 1024);
  auto vec =
      budgets(fourTiles(rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768) +
                        "  TROWSUM(s, x, t);\n  TROWEXPANDMUL(x, x, s);\n"));
  Lines list = holders(space(vec, "UB"));
  CHECK(std::count(list.begin(), list.end(), "[16384, 20480) t 13-13 x1 scratch") == 1);
  CHECK(list.back() == "[188416, 196608) hidden scratch of TROWEXPANDMUL 14-14 x1 scratch");
  CHECK(space(vec, "UB").peakExtent == 196608);
  CHECK(space(vec, "UB").tileExtent == 32832);
  CHECK(space(vec, "UB").hiddenAt == 188416);
  CHECK_FALSE(space(cube, "L0C").hiddenAt);
}

TEST_CASE("memory budget: rotating storage is every place it may have, unknown storage none") {
  auto rotating = budgets(fourTiles("  for (int32_t i = 0; i < n; ++i) {\n" +
                                    rowsAt("r", 4, "i % 2 == 0 ? 4096 : 8192") + "    TLOAD(r, g);\n  }\n"));
  CHECK(holders(space(rotating, "UB")) == Lines{"[4096, 5120) r 12-12 x1", "[8192, 9216) r 12-12 x1"});
  auto moving = budgets(fourTiles(rowsAt("m", 4, "n * 64") + "  TADDS(m, a, 1.0f);\n"));
  const SpaceBudget &ub = space(moving, "UB");
  CHECK(holders(ub) == Lines{"[0, 1024) a 11-11 x1"});
  REQUIRE(ub.unplaced.size() == 1);
  CHECK(ub.unplaced[0].name == "m");
  CHECK(ub.unplaced[0].line == 11);
  CHECK(mentions(ub.unplaced[0].why, "address depends on a kernel argument"));
}

TEST_CASE("memory budget: a view ends with what it touches, and lies between rows without an overlap") {
  // 16 rows of 16 columns out of rows of 64: the second view begins 64 bytes in.
  auto view = [](const std::string &name, const std::string &at) {
    return tileIn("Vec", name, "float", "16, 64", "16, 16", at);
  };
  auto list =
      budgets(fourTiles(rowsAt("whole", 16, "4096") + view("left", "4096") + view("right", "4160") +
                        "  TADDS(whole, whole, 1.0f);\n  TADDS(left, left, 1.0f);\n  TADDS(right, right, 1.0f);\n"));
  const SpaceBudget &ub = space(list, "UB");
  CHECK(ub.peakExtent == 8192);
  CHECK(holders(ub) == Lines{"[4096, 8192) whole,left 13-14 x2", "[4160, 8064) right 15-15 x1"});
  CHECK(ub.overlaps.size() == 1); // with `whole`
}

TEST_CASE("memory budget: a kernel that was not analysed says so") {
  auto list =
      budgets(vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n"
                           "  if (n < 100) {\n    goto first;\n  }\n"));
  REQUIRE(list.size() == 1);
  CHECK(list[0].reason == "its control flow has a cycle with two entries");
  CHECK(list[0].spaces.empty());
}
