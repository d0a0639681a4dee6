#include "explain/explained.h"
#include "explain/memory_budget.h"

#include <nlohmann/json.hpp>

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
  CHECK(list[0].reason ==
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
  CHECK(list[0].spaces.empty());
}

namespace {

MemoryReport memorySample() {
  SpaceBudget space;
  space.space = "UB";
  space.bytes = 4096;
  space.holders = {{0, 1024, {"a", "b"}, false, 10, 40, 7}, {512, 2048, {"t"}, true, 12, 12, 1}};
  space.overlaps = {{0, 1, 512, 1024}};
  space.peakExtent = space.covered = 2048;
  space.peakLive = 1536;
  space.peakLiveLine = 12;
  MemoryReport report{"k.cpp", "a3", "0.1.0", {}};
  report.kernels.push_back({"k", Section::Vec, {space}, ""});
  report.kernels.push_back({"idle", Section::Both, {}, ""});
  report.kernels.push_back({"bad", Section::Both, {}, "for a reason"});
  return report;
}

} // namespace

TEST_CASE("memory report: text, literally") {
  CHECK(memoryText(memorySample()) ==
        "k.cpp: kernel k (vec)\n"
        "  UB: 2048 bytes by address of 4096, slack 2048; 2048 of them used; most live at once in program order: 1536, "
        "at line 12\n"
        "          bytes  size     lines  uses  held by\n"
        "      [0, 1024)  1024  10 to 40     7  a, b\n"
        "    [512, 2048)  1536  12 to 12     1  t (scratch)\n"
        "    overlap [512, 1024): a, b with t (scratch)\n"
        "\n"
        "k.cpp: kernel idle: uses no on-chip memory\n"
        "\n"
        "k.cpp: kernel bad: not analysed: for a reason\n");
}

TEST_CASE("memory report: beyond the memory, and what is not placed") {
  MemoryReport report = memorySample();
  SpaceBudget &space = report.kernels[0].spaces[0];
  space.bytes = 1536;
  space.unplaced = {{"m", 14, "address depends on a kernel argument"}};
  std::string text = memoryText(report);
  CHECK(text.find("UB: at least 2048 bytes by address of 1536, 512 BEYOND the memory; ") != std::string::npos);
  CHECK(text.find("in program order: at least 1536") != std::string::npos);
  CHECK(text.find("    not placed: m, first used at line 14: address depends on a kernel argument\n") !=
        std::string::npos);
}

TEST_CASE("memory report: the library's hidden scratch is told apart from tiles") {
  MemoryReport report = memorySample();
  SpaceBudget &space = report.kernels[0].spaces[0];
  space.tileExtent = 1024;
  space.hiddenAt = 1536;
  CHECK(memoryText(report).find("slack 2048 (tiles end at 1024, 512 below the library's hidden scratch at 1536); ") !=
        std::string::npos);
  space.tileExtent = 2048;
  CHECK(memoryText(report).find("(tiles end at 2048, 512 INSIDE the library's hidden scratch at 1536)") !=
        std::string::npos);
}

TEST_CASE("memory report: JSON") {
  nlohmann::json json = nlohmann::json::parse(memoryJson(memorySample()));
  CHECK(json.at("schema") == kMemoryJsonSchema);
  const nlohmann::json &space = json.at("kernels")[0].at("spaces")[0];
  CHECK(space.at("slack") == 2048);
  CHECK(space.at("peakLive") == 1536);
  CHECK(space.at("lowerBounds") == false);
  CHECK(space.at("holders")[0].at("names") == nlohmann::json::array({"a", "b"}));
  CHECK(space.at("overlaps")[0].at("holders") == nlohmann::json::array({0, 1}));
  CHECK(json.at("kernels")[2].at("notAnalysed") == "for a reason");
}
