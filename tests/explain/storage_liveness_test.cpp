#include "explain/storage_liveness.h"

#include "explain/explained.h"
#include "explain/memory_budget.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Peak of live bytes in UB, and its line.
std::pair<std::int64_t, std::uint32_t> peak(const std::string &statements) {
  std::string text = fourTiles(statements);
  std::vector<KernelBudget> budgets = memoryBudgets(lift(text), machineOf("a3"), {});
  const SpaceBudget &space = budgets.at(0).spaces.at(0);
  return {space.peakLive, space.peakLiveLine};
}

constexpr std::int64_t kTile = 1024;

} // namespace

TEST_CASE("storage liveness: from what is written to what reads it last") {
  // a dies at the second statement, b at the third.
  CHECK(peak("  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(c, b, 1.0f);\n  TSTORE(h, c);\n").first == 2 * kTile);
  // a lives to the end.
  CHECK(peak("  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(c, b, 1.0f);\n  TADD(d, c, a);\n").first == 3 * kTile);
  // What nobody reads takes its place only while it is written.
  CHECK(peak("  TLOAD(a, g);\n  TLOAD(b, g);\n  TADDS(c, b, 1.0f);\n").first == 2 * kTile);
  // Overwritten as a whole: not needed in between.
  CHECK(peak("  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(d, c, 1.0f);\n  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n")
            .first == 2 * kTile);
}

TEST_CASE("storage liveness: round a loop, on one arm, and partly overwritten") {
  // d is carried round the loop.
  CHECK(peak("  TLOAD(d, g);\n  for (int32_t i = 0; i < n; ++i) {\n    TLOAD(a, g);\n    TADDS(b, a, 1.0f);\n"
             "    TADD(d, d, b);\n  }\n")
            .first == 3 * kTile);
  // Needed on one arm only is needed.
  CHECK(peak("  TLOAD(a, g);\n  TADDS(c, b, 1.0f);\n  if (n > 3) {\n    TADDS(c, a, 1.0f);\n  }\n").first == 3 * kTile);
  std::string half = rowsAt("half", 2, "0");
  CHECK(peak(half + "  TLOAD(a, g);\n  TADDS(c, b, 1.0f);\n  TADDS(half, b, 1.0f);\n  TADDS(d, a, 1.0f);\n").first ==
        2 * kTile + kTile / 2);
}

TEST_CASE("storage liveness: the line of the peak") {
  std::string statements = "  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADD(c, b, a); // most\n  TADDS(d, c, 1.0f);\n";
  CHECK(peak(statements) ==
        std::pair<std::int64_t, std::uint32_t>{3 * kTile, lineOf(fourTiles(statements), "// most")});
}
