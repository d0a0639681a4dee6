#include "optimize/edit_session.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "rule same-access-chain RAW relied", "sync 12 RAW relied", "library 14 RAW", ... in order.
std::vector<std::string> evidenceAt(const Decided &kernel, const std::string &mark) {
  std::vector<std::string> lines;
  for (const Evidence &evidence : kernel.at(mark).evidence) {
    std::string text = evidence.by == Evidence::By::Rule      ? "rule " + evidence.rule
                       : evidence.by == Evidence::By::Sync    ? "sync"
                       : evidence.by == Evidence::By::Library ? "library"
                                                              : "nothing";
    for (std::uint32_t line : evidence.lines)
      text += " " + std::to_string(line);
    if (evidence.conflict)
      text += std::string(" ") + hazardKindName(evidence.conflict->kind) + (evidence.relied ? " relied" : "");
    lines.push_back(text);
    CHECK_FALSE(evidence.text.empty());
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// The end of flash attention: the last sum is added to, then divided by.
std::string finalDivide() {
  return vectorKernel(rowsAt("acc", 16, "0") + rowsAt("product", 16, "4096") + rowsAt("out0", 16, "8192") +
                      columnTile("sum", "float", 16, 12288) + "  TADD(acc, acc, product); // add\n" + kBarrier +
                      "  TROWEXPANDDIV(out0, acc, sum); // divide\n");
}

} // namespace

TEST_CASE("evidence: a machine rule", "[evidence]") {
  Decided kernel(usualKernel("  TADDS(p, q, 1.0f);\n" + kBarrier + "  TADDS(r, p, 1.0f);\n"));
  CHECK(evidenceAt(kernel, "// barrier") == Lines{"rule same-access-chain RAW relied"});
  const Evidence &evidence = kernel.at("// barrier").evidence[0];
  CHECK(evidence.conflict->earlier.text == "TADDS(p, q, 1.0f)");
  CHECK(evidence.conflict->later.text == "TADDS(r, p, 1.0f)");
}

TEST_CASE("evidence: another sync, with its line", "[evidence]") {
  Decided kernel(usualKernel("  TADDS(a, b, 1.0f);\n" + kBarrier +
                             "  TADDS(d, b, 1.0f);\n"
                             "  pipe_barrier(PIPE_V); // other\n  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.verdict("// other") == "kept: hazard");
  CHECK(evidenceAt(kernel, "// barrier") ==
        Lines{"sync " + std::to_string(lineOf(kernel.text, "// other")) + " RAW relied"});
}

TEST_CASE("evidence: a flag of another pipe", "[evidence]") {
  Decided kernel(
      usualKernel("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  pipe_barrier(PIPE_ALL) ; // barrier\n"
                  "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(c, a, 1.0f);\n"));
  REQUIRE(kernel.verdict("// barrier") == "removed");
  CHECK(evidenceAt(kernel, "// barrier") ==
        Lines{"sync " + std::to_string(lineOf(kernel.text, "// wait")) + " RAW relied"});
}

TEST_CASE("evidence: nothing to order", "[evidence]") {
  Decided kernel(usualKernel("  TADDS(a, b, 1.0f);\n" + kBarrier + "  TADDS(c, d, 1.0f);\n"));
  CHECK(evidenceAt(kernel, "// barrier") == Lines{"nothing"});
}

TEST_CASE("evidence: the final division is redundant twice over", "[evidence]") {
  std::string text = finalDivide();
  std::string divide = std::to_string(lineOf(text, "// divide"));
  SECTION("at tile trust the chain rule is relied on, the library's barrier only mentioned") {
    Decided kernel(text);
    CHECK(kernel.verdict("// barrier") == "removed");
    CHECK(evidenceAt(kernel, "// barrier") == Lines{"rule same-access-chain RAW relied", "library " + divide + " RAW"});
  }
  SECTION("at library trust it is the other way round") {
    Decided kernel(text, {"--trust=library"});
    CHECK(kernel.verdict("// barrier") == "removed");
    CHECK(evidenceAt(kernel, "// barrier") == Lines{"library " + divide + " RAW relied", "rule same-access-chain RAW"});
  }
}

TEST_CASE("evidence: a library barrier alone", "[evidence]") {
  // 4 rows are no chain: only the barrier inside the row sum orders it, and only at library trust.
  std::string text = vectorKernel(rowsAt("x", 4, "0") + rowsAt("tmp", 4, "4096") + columnTile("sum", "float", 8, 8192) +
                                  columnTile("total", "float", 8, 12288) + "  TROWSUM(sum, x, tmp); // sum\n" +
                                  kBarrier + "  TADD(total, total, sum);\n");
  CHECK(Decided(text).verdict("// barrier") == "kept: hazard");
  Decided kernel(text, {"--trust=library"});
  CHECK(kernel.verdict("// barrier") == "removed");
  CHECK(evidenceAt(kernel, "// barrier") == Lines{"nothing"}); // the sum is over before the barrier is reached
}

TEST_CASE("evidence: comes from the kernel as it finally stands", "[evidence]") {
  // Both inner barriers go; what orders the pair is the one that is left, not one that went too.
  Decided kernel(
      usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // first\n  TADDS(d, b, 1.0f);\n"
                  "  pipe_barrier(PIPE_V); // second\n  TADDS(q, s, 1.0f);\n  pipe_barrier(PIPE_V); // third\n"
                  "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.verdict("// first") == "removed");
  CHECK(kernel.verdict("// second") == "removed");
  CHECK(kernel.verdict("// third") == "kept: hazard");
  std::string third = "sync " + std::to_string(lineOf(kernel.text, "// third")) + " RAW relied";
  for (const char *mark : {"// first", "// second"}) {
    Lines lines = evidenceAt(kernel, mark);
    CHECK(std::count(lines.begin(), lines.end(), third) == 1);
  }
}
