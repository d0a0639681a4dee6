#include "replay/judge/compare.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const std::string kTiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096) +
                           "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                           "pto::Layout::ND> g(in), h(out);\n"; // the body begins on line 7

Comparison compared(const std::string &before, const std::string &after) {
  Replayed first(vectorKernel(kTiles + before)), second(vectorKernel(kTiles + after));
  first.run();
  second.run();
  return compareRuns({*first.subject, first.trace}, {*second.subject, second.trace}, first.rules);
}

} // namespace

TEST_CASE("replay: a lost order has both instructions, the bytes, and what used to order them") {
  Comparison result = compared("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n  TADDS(b, a, 1.0f);\n",
                               "  TEXP(a, a);\n\n\n  TADDS(b, a, 1.0f);\n");
  REQUIRE(result.findings.size() == 1);
  const Finding &finding = result.findings[0];
  CHECK(finding.kind == FindingKind::Order);
  CHECK(finding.rule == "RAW");
  CHECK(finding.storage == "UB [0, 2048)");
  CHECK(finding.earlier.text == "TEXP(a, a)");
  CHECK(finding.earlier.pipe == "PIPE_V");
  CHECK(finding.later.beforeLine == 9);
  CHECK(finding.later.afterLine == 10);
  CHECK(finding.order == std::vector<std::string>{"line 8 barrier PIPE_V"});
  CHECK(finding.text == "TEXP(a, a) on PIPE_V may still run when TADDS(b, a, 1.0f) starts on PIPE_V");
}

TEST_CASE("replay: the way an order went before is told in full") {
  const std::string rest =
      "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TSTORE(h, a);\n";
  Comparison result = compared(
      "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n" + rest,
      "  TLOAD(a, g);\n" + rest);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].order ==
        std::vector<std::string>{"line 8 set PIPE_MTE2 -> PIPE_V id 0", "line 9 wait PIPE_MTE2 -> PIPE_V id 0",
                                 "line 10 set PIPE_V -> PIPE_MTE3 id 0", "line 11 wait PIPE_V -> PIPE_MTE3 id 0"});
}

TEST_CASE("replay: what both versions lack is not said, a lost order of bytes apart neither") {
  CHECK(compared("  TEXP(a, a);\n  TEXP(a, a);\n", "  TEXP(a, a);\n  TEXP(a, a);\n").findings.empty());
  CHECK(compared("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n  TEXP(b, b);\n", "  TEXP(a, a);\n  TEXP(b, b);\n")
            .findings.empty());
}

TEST_CASE("replay: an order that was lost long before the conflict is found") {
  std::string middle;
  for (int i = 0; i < 40; ++i)
    middle += "  TEXP(b, b);\n";
  Comparison result = compared("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n" + middle + "  TEXP(a, a);\n",
                               "  TEXP(a, a);\n" + middle + "  TEXP(a, a);\n");
  CHECK(result.findings.size() == 1);
}

TEST_CASE("replay: other instructions end the comparison") {
  Comparison result = compared("  TEXP(a, a);\n", "  TADDS(a, a, 1.0f);\n");
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind == FindingKind::Streams);
  CHECK(result.findings[0].text ==
        "instruction 1 is TEXP(a, a) at line 7 before and TADDS(a, a, 1.0f) at line 7 after");
  result = compared("  TEXP(a, a);\n", "  TASSIGN(a, (uint64_t) 8192);\n  TEXP(a, a);\n");
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].text ==
        "instruction 1 is TEXP(a, a) at line 7 before and TEXP(a, a) at line 8 after, with other bytes or values");
  result = compared("", "  TEXP(a, a);\n");
  REQUIRE(result.findings.size() == 1);
}

TEST_CASE("replay: work that is open at the end, and was not") {
  auto kernel = [](const std::string &body) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out) {\n" +
           kTiles + body + "}\n";
  };
  CHECK(difference(lift(kernel("  TEXP(a, a);\n  pipe_barrier(PIPE_ALL);\n")), lift(kernel("  TEXP(a, a);\n"))) ==
        "end 7\n");
  CHECK(difference(lift(kernel("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n")), lift(kernel("  TEXP(a, a);\n"))) == "");
  // The scalar unit leaves behind its own work, whatever it waits for.
  const std::string get = "  float x = a.GetValue(0);\n";
  const std::string set = "  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n",
                    wait = "  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n";
  CHECK(difference(lift(kernel(set + get + wait)), lift(kernel(get))) == "");
  CHECK(difference(lift(kernel(get + set + wait)), lift(kernel(get))) == "");
  CHECK(difference(lift(kernel("  a.SetValue(0, 1.0f);\n  set_flag(PIPE_S, PIPE_V, EVENT_ID0);\n"
                               "  wait_flag(PIPE_S, PIPE_V, EVENT_ID0);\n")),
                   lift(kernel("  a.SetValue(0, 1.0f);\n"))) == "end 7\n");
}

TEST_CASE("replay: a contested rule excuses nothing, and does not hide what it may stand for") {
  // MTE2 loads that overwrite one another: contested, so the barrier stays.
  CHECK(difference(kTiles + "  TLOAD(a, g);\n  pipe_barrier(PIPE_MTE2);\n  TLOAD(a, g);\n",
                   kTiles + "  TLOAD(a, g);\n  TLOAD(a, g);\n") == "order WAW 7>8\n");
  // If waits for the scalar pipe hold everything back, this pair orders the load and the scaling.
  const std::string pair = "  set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);\n";
  CHECK(difference(kTiles + "  TLOAD(a, g);\n" + pair + "  TEXP(a, a);\n",
                   kTiles + "  TLOAD(a, g);\n  TEXP(a, a);\n") == "order RAW 7>8\n");
}

TEST_CASE("replay: a hang is a finding of its own, unless it was there before") {
  const std::string wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  Comparison result = compared("", wait);
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].rule == "unfed-wait");
  CHECK(result.findings[1].kind == FindingKind::Deadlock);
  CHECK(compared(wait, wait).findings.empty());
}
