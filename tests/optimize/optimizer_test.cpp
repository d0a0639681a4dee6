#include "optimize/optimizer.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kHead = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";

/// A kernel with a barrier per core section and one outside both.
std::string twoSections(const std::string &shared) {
  return kHead + "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" + shared +
         "  #if defined(__DAV_CUBE__)\n" + matrixTiles() +
         "  TMATMUL(c, l, r);\n  pipe_barrier(PIPE_M); // cube\n  TMATMUL(d, l, r);\n  #endif\n"
         "  #if defined(__DAV_VEC__)\n" +
         rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") +
         "  TADDS(a, a, 1.0f);\n  pipe_barrier(PIPE_V); // vec\n  TADDS(b, b, 1.0f);\n  #endif\n}\n";
}

} // namespace

TEST_CASE("optimizer: what goes and what stays", "[optimizer]") {
  Decided kernel(usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // needed\n  TADDS(c, a, 1.0f);\n"
                             "  pipe_barrier(PIPE_V); // idle\n  TADDS(d, b, 1.0f);\n"));
  CHECK(kernel.verdict("// needed") == "kept: hazard");
  CHECK(kernel.witness("// needed") == "RAW TADDS(a, b, 1.0f) -> TADDS(c, a, 1.0f) on UB [0, 1024)");
  CHECK(kernel.verdict("// idle") == "removed");
  CHECK(kernel.at("// idle").pattern == "redundant-pipe-v");
  CHECK(kernel.at("// idle").kernels == std::vector<std::string>{"k"});
}

TEST_CASE("optimizer: of two that could each go alone, the earlier one goes", "[optimizer]") {
  Decided kernel(
      usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // first\n  pipe_barrier(PIPE_V); // second\n"
                  "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.verdict("// first") == "removed");
  CHECK(kernel.verdict("// second") == "kept: hazard");
}

TEST_CASE("optimizer: PIPE_ALL is tried before others, wherever it stands", "[optimizer]") {
  Decided kernel(
      usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // vector\n  pipe_barrier(PIPE_ALL) ; // all\n"
                  "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.verdict("// all") == "removed");
  CHECK(kernel.verdict("// vector") == "kept: hazard");
}

TEST_CASE("optimizer: the deeper loop's barrier is tried first", "[optimizer]") {
  // Either orders the pair that goes round; the one inside runs more often.
  Decided kernel(
      usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // outside\n"
                  "  for (int32_t i = 0; i < 4; ++i) {\n  pipe_barrier(PIPE_V); // inside\n  float x = in[i];\n  }\n"
                  "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.verdict("// inside") == "removed");
  CHECK(kernel.verdict("// outside") == "kept: hazard");
}

TEST_CASE("optimizer: protected sites are never touched", "[optimizer]") {
  std::string text = kHead +
                     "#define SYNC pipe_barrier(PIPE_V)\n"
                     "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out) {\n"
                     "  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n  SYNC; // macro\n  float x = in[0];\n"
                     "  pipe_barrier(PIPE_ALL); // flush\n  dsb((mem_dsb_t) 0);\n  pipe_barrier(PIPE_V); // idle\n}\n";
  Decided kernel(text, {"--patterns=all"});
  CHECK(kernel.verdict("// ptosync: keep(timing)") == "kept: protected");
  CHECK(kernel.at("// ptosync: keep(timing)").detail == "a keep comment holds it: timing");
  CHECK(kernel.verdict("// macro") == "kept: protected");
  CHECK(kernel.verdict("// flush") == "kept: protected");
  CHECK(kernel.verdict("// idle") == "removed");
}

TEST_CASE("optimizer: the end fence is protected, PIPE_ALL in the middle is not", "[optimizer]") {
  std::string tail = "static AICORE inline void ptoas_auto_sync_tail() {\n  pipe_barrier(PIPE_ALL);\n}\n";
  std::string text = kHead + tail + "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
                     rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") +
                     "  TADDS(a, a, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // middle\n"
                     "  TADDS(b, b, 1.0f);\n  ptoas_auto_sync_tail(); // tail\n}\n";
  Decided kernel(text, {"--patterns=all"});
  CHECK(kernel.verdict("// middle") == "removed");
  for (const SiteDecision &decision : kernel.outcome.result.decisions)
    if (kernel.outcome.module.sites[decision.site].line != lineOf(text, "// middle"))
      CHECK(decision.verdict == Verdict::Kept);
}

TEST_CASE("optimizer: patterns nominate", "[optimizer]") {
  std::string text = usualKernel("  TADDS(a, b, 1.0f);\n" + kBarrier + "  TADDS(c, d, 1.0f);\n");
  Decided none(text, {"--patterns=none"});
  CHECK(none.verdict("// barrier") == "kept: not-nominated");
  CHECK(none.at("// barrier").pattern == "");
  Decided other(text, {"--patterns=redundant-pipe-mte2"});
  CHECK(other.verdict("// barrier") == "kept: not-nominated");
  Decided named(text, {"--patterns=redundant-pipe-v"});
  CHECK(named.verdict("// barrier") == "removed");
}

TEST_CASE("optimizer: a pattern's nomination is not a proof", "[optimizer]") {
  std::string text = usualKernel("  TADDS(a, b, 1.0f);\n" + kBarrier + "  TADDS(c, a, 1.0f);\n");
  for (const char *patterns : {"--patterns=all", "--patterns=redundant-pipe-v"})
    CHECK(Decided(text, {patterns}).verdict("// barrier") == "kept: hazard");
}

TEST_CASE("optimizer: a named pattern claims before a generic one", "[optimizer]") {
  std::string text = vectorKernel(rowsAt("acc", 16, "0") + rowsAt("product", 16, "4096") +
                                  rowsAt("result", 16, "8192") + columnTile("sum", "float", 16, 12288) +
                                  "  TADD(acc, acc, product);\n  TADD(result, result, product);\n" + kBarrier +
                                  "  TROWEXPANDDIV(acc, acc, sum);\n  TROWEXPANDDIV(result, result, sum);\n");
  CHECK(Decided(text).at("// barrier").pattern == "final-div");
  CHECK(Decided(text, {"--patterns=redundant-pipe-v,final-div"}).at("// barrier").pattern ==
        "final-div"); // either order
  CHECK(Decided(text, {"--patterns=redundant-pipe-v"}).at("// barrier").pattern == "redundant-pipe-v");
}

TEST_CASE("optimizer: limits", "[optimizer]") {
  std::string text =
      usualKernel("  pipe_barrier(PIPE_V); // first\n  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // second\n"
                  "  TADDS(c, d, 1.0f);\n  pipe_barrier(PIPE_V); // third\n  TADDS(p, q, 1.0f);\n");
  CHECK(Decided(text).removedLines().size() == 3);
  RunOptions one;
  one.optimize.maxRemovals = 1;
  Decided limited(text, one);
  CHECK(limited.verdict("// first") == "removed");
  CHECK(limited.verdict("// second") == "kept: limit");
  CHECK(limited.verdict("// third") == "kept: limit");
  RunOptions none;
  none.optimize.maxRemovals = 0;
  CHECK(Decided(text, none).removedLines().empty());
  RunOptions lines;
  lines.optimize.lines = {lineOf(text, "// second")};
  Decided chosen(text, lines);
  CHECK(chosen.verdict("// first") == "kept: limit");
  CHECK(chosen.verdict("// second") == "removed");
  CHECK(chosen.removedLines() == std::vector<unsigned>{lineOf(text, "// second")});
}

TEST_CASE("optimizer: a helper's barrier must be right for every call", "[optimizer]") {
  auto text = [](unsigned second) {
    return kHead + "static AICORE void step(int64_t from, int64_t to) {\n" + rowsAt("x", 4, "from") +
           rowsAt("y", 4, "to") +
           "  pipe_barrier(PIPE_V); // inside\n  TADDS(y, x, 1.0f);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n  step(0, 1024);\n  step(" +
           std::to_string(second) + ", 3072); // second call\n}\n";
  };
  CHECK(Decided(text(2048)).verdict("// inside") == "removed");
  Decided chained(text(1024));
  CHECK(chained.verdict("// inside") == "kept: hazard");
  REQUIRE(chained.at("// inside").witness);
  CHECK(chained.at("// inside").witness->later.calledFrom ==
        std::vector<std::uint32_t>{lineOf(chained.text, "// second call")});
}

TEST_CASE("optimizer: a helper shared by two kernels must be right in both", "[optimizer]") {
  std::string text = kHead + "static AICORE void between() {\n  pipe_barrier(PIPE_V); // inside\n}\n" +
                     "extern \"C\" __global__ AICORE void idle(__gm__ float *in) {\n" + rowsAt("a", 4, "0") +
                     rowsAt("b", 4, "1024") + "  TADDS(a, a, 1.0f);\n  between();\n  TADDS(b, b, 1.0f);\n}\n" +
                     "extern \"C\" __global__ AICORE void busy(__gm__ float *in) {\n" + rowsAt("a", 4, "0") +
                     rowsAt("b", 4, "1024") + "  TADDS(a, a, 1.0f);\n  between();\n  TADDS(b, a, 1.0f);\n}\n";
  Decided kernel(text);
  CHECK(kernel.verdict("// inside") == "kept: hazard");
  CHECK(kernel.at("// inside").kernels == std::vector<std::string>{"busy", "idle"});
}

TEST_CASE("optimizer: the two core sections are decided apart", "[optimizer]") {
  Decided kernel(twoSections(""));
  CHECK(kernel.verdict("// cube") == "removed"); // another accumulator
  CHECK(kernel.verdict("// vec") == "removed");
  CHECK(kernel.at("// cube").sections == std::vector<Section>{Section::Cube});
  CHECK(kernel.at("// vec").sections == std::vector<Section>{Section::Vec});
}

TEST_CASE("optimizer: a barrier outside the sections must be right in both", "[optimizer]") {
  std::string text =
      kHead + "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out) {\n" + rowsAt("a", 4, "0") +
      rowsAt("b", 4, "1024") +
      "  #if defined(__DAV_VEC__)\n  TADDS(a, b, 1.0f);\n  #endif\n  pipe_barrier(PIPE_ALL) ; // both\n"
      "  #if defined(__DAV_VEC__)\n  TADDS(b, a, 1.0f);\n  #endif\n  pipe_barrier(PIPE_ALL) ; // end\n}\n";
  Decided kernel(text);
  CHECK(kernel.verdict("// both") == "kept: hazard"); // nothing runs on the cube core, but the vector core needs it
  CHECK(kernel.at("// both").sections.size() == 2);
}

TEST_CASE("optimizer: kernels that cannot be analysed are left alone", "[optimizer]") {
  std::string text =
      kHead + "extern \"C\" __global__ AICORE void tangled(__gm__ float *in, int32_t n) {\n"
              "  pipe_barrier(PIPE_V); // tangled\n  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\n"
              "second:\n  n = n + 2;\n  if (n < 100) {\n    goto first;\n  }\n}\n"
              "extern \"C\" __global__ AICORE void plain(__gm__ float *in) {\n  pipe_barrier(PIPE_V); // plain\n}\n";
  Decided kernel(text);
  CHECK(kernel.verdict("// tangled") == "kept: not-analysed");
  CHECK(kernel.verdict("// plain") == "removed");
  REQUIRE(kernel.outcome.result.skipped.size() == 1);
  CHECK(kernel.outcome.result.skipped[0].kernel == "tangled");
  CHECK(kernel.outcome.result.skipped[0].reason ==
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
}

TEST_CASE("optimizer: a flag that orders nothing goes, under a pattern that asks for it", "[optimizer]") {
  std::string text = usualKernel("  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // set\n"
                                 "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // wait\n");
  for (const char *patterns : {"--patterns=all", "--patterns=redundant-flag"}) {
    Decided kernel(text, {patterns});
    CHECK(kernel.verdict("// set") == "removed");
    CHECK(kernel.verdict("// wait") == "removed");
    CHECK(kernel.at("// set").edit == kernel.at("// wait").edit); // one edit
  }
  for (const char *patterns : {"--patterns=none", "--patterns=redundant-pipe-v", "--patterns=sink-wait"})
    CHECK(Decided(text, {patterns}).verdict("// set") == "kept: not-nominated");
}

TEST_CASE("optimizer: faults and open pairs of the input are reported", "[optimizer]") {
  Decided kernel(
      usualKernel("  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // unfed\n  TADDS(a, b, 1.0f);\n  TADDS(c, a, 1.0f);\n"));
  REQUIRE(kernel.outcome.result.tokenFaults.size() == 1);
  CHECK(kernel.outcome.result.tokenFaults[0].line == lineOf(kernel.text, "// unfed"));
  CHECK(kernel.outcome.result.tokenFaults[0].text.find("(PIPE_V, PIPE_MTE3, 0)") != std::string::npos);
  REQUIRE(kernel.outcome.result.unresolved.size() == 1);
  CHECK(kernel.outcome.result.unresolved[0].kernel == "k");
  CHECK(kernel.outcome.result.unresolved[0].conflict.kind == HazardKind::ReadAfterWrite);
}

TEST_CASE("optimizer: its own output is left as it is", "[optimizer]") {
  std::string text =
      usualKernel("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // first\n  pipe_barrier(PIPE_V); // second\n"
                  "  TADDS(c, a, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // third\n  TADDS(p, q, 1.0f);\n"
                  "  pipe_barrier(PIPE_V); // fourth\n  TADDS(r, p, 1.0f);\n");
  Decided first(text);
  REQUIRE_FALSE(first.removedLines().empty());
  std::string again;
  unsigned line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    std::size_t end = text.find('\n', at);
    std::vector<unsigned> gone = first.removedLines();
    if (std::find(gone.begin(), gone.end(), line) == gone.end())
      again += text.substr(at, end - at);
    again += '\n';
    at = end + 1;
  }
  CHECK(Decided(again).removedLines().empty());
}

TEST_CASE("optimizer: flags that go do not take along what the rest is seen by", "[optimizer]") {
  // The ids tell the phases of the loop, and with them that its first trip leaves the buffer in front of it alone.
  std::string ring = ", (event_t) (i % 2)); // ring\n";
  std::string text = vectorKernel(
      tile("ahead", "float", 16, 64, 0) + tile("t", "float", 16, 64, 0) +
      "  TEXPANDS(ahead, 1.0f);\n"
      "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // ring\n  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // ring\n"
      "  for (int32_t i = 0; i < n; i += 1) {\n    TASSIGN(t, (uint64_t) ((i + 1) % 2 * 4096));\n"
      "    TMULS(t, t, 2.0f);\n    pipe_barrier(PIPE_V);\n    wait_flag(PIPE_V, PIPE_MTE2" +
      ring + "    set_flag(PIPE_V, PIPE_MTE2" + ring +
      "  }\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // ring\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // ring\n");
  Decided before(text);
  CHECK(before.removedLines().size() == 6);
  std::string without;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    std::string line = text.substr(at, text.find('\n', at) + 1 - at);
    if (line.find("// ring") == std::string::npos)
      without += line;
  }
  CHECK(Decided(without).outcome.result.unresolved.size() == 1);
  CHECK(before.outcome.result.unresolved.size() == 1);
}

namespace {

const std::string kBegin = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";

std::string kernelNamed(const char *name, const std::string &body) {
  return std::string("extern \"C\" __global__ AICORE void ") + name + "(__gm__ float *in) {\n" + body + "}\n";
}

std::vector<KernelGroup> groupsOf(const std::string &text) { return kernelGroups(Decided(text).outcome.module); }

} // namespace

TEST_CASE("kernel groups: kernels that share no sync are apart", "[optimizer]") {
  CHECK(groupsOf(kBegin).empty());
  CHECK(groupsOf(kBegin + kernelNamed("a", "  pipe_barrier(PIPE_V);\n") +
                 kernelNamed("b", "  pipe_barrier(PIPE_V);\n")) == std::vector<KernelGroup>{{0}, {1}});
  // The sections of one function.
  CHECK(groupsOf(kBegin + kernelNamed("a", "#if defined(__DAV_VEC__)\n  pipe_barrier(PIPE_V);\n#endif\n"
                                           "#if defined(__DAV_CUBE__)\n  pipe_barrier(PIPE_M);\n#endif\n")) ==
        std::vector<KernelGroup>{{0}, {1}});
}

TEST_CASE("kernel groups: a helper with a sync ties its callers together", "[optimizer]") {
  std::string helper = "static AICORE void helper() {\n  pipe_barrier(PIPE_V);\n}\n";
  std::string text = kBegin + helper + kernelNamed("a", "  helper();\n") +
                     kernelNamed("b", "  pipe_barrier(PIPE_V);\n") +
                     kernelNamed("c", "  pipe_barrier(PIPE_V);\n  helper();\n");
  CHECK(groupsOf(text) == std::vector<KernelGroup>{{0, 2}, {1}});
  // A sync that is never edited ties nobody.
  text.replace(text.find("PIPE_V);"), 8, "PIPE_V); // ptosync: keep(example)");
  CHECK(groupsOf(text) == std::vector<KernelGroup>{{0}, {1}, {2}});
}
