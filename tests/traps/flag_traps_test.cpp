// The traps of traps_test.cpp for flags, which are edited themselves: for each rule the kernel that a slightly wrong
// implementation would get wrong.
#include "optimize/decided.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kPairRemoved = "removed";
const std::string kReadA = "  TADDS(c, a, 1.0f);\n";
const char *const kPairGone = "removed removed";
const std::string kLoadA = "  TLOAD(a, g);\n", kFillD = "  TEXPANDS(d, 1.0f);\n";
const char *const kBack = "PIPE_V, PIPE_MTE2";

bool anyGone(const Decided &kernel, std::initializer_list<const char *> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](const char *mark) { return kernel.verdict(mark) == kPairRemoved; });
}

std::string pairVerdict(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).verdicts({"// set", "// wait"});
}

} // namespace

TEST_CASE("trap 1, flags: a flag in a loop that may not run does not cover what follows", "[traps]") {
  auto text = [](const std::string &bound) {
    return kLoadA +
           loopOver(bound, setFlag("inner", 1) + waitFlag("inner too", 1) + kFillD + "  pipe_barrier(PIPE_V);\n") +
           setFlag("set") + waitFlag("wait") + kReadA;
  };
  CHECK(pairVerdict(text("n")) != kPairGone);
  Decided sure(usualKernel(text("2"))); // one of the two may go, not both
  CHECK((sure.verdict("// wait") == kPairRemoved) != (sure.verdict("// inner too") == kPairRemoved));
}

TEST_CASE("trap 2 and 17, flags: arms and joins", "[traps]") {
  CHECK(pairVerdict(kLoadA + "  if (n > 3) {\n" + setFlag("arm", 1) + waitFlag("arm too", 1) +
                    "  TADDS(d, a, 1.0f);\n  }\n" + setFlag("set") + waitFlag("wait") + kReadA) != kPairGone);
  // Set in an arm, waited for behind the join.
  Decided fault(usualKernel(kLoadA + "  if (n > 3) {\n" + setFlag("set") + "  }\n" + waitFlag("wait") + kReadA));
  CHECK(fault.verdicts({"// set", "// wait"}) == "kept: unbalanced kept: unbalanced");
  CHECK(fault.outcome.result.tokenFaults.size() == 1);
  // Waited for in one arm and behind the other.
  Decided other(usualKernel(kLoadA + setFlag("set") + "  if (n > 3) {\n" + waitFlag("wait") + "  }\n" + kReadA));
  CHECK(other.verdict("// set") == "kept: unbalanced");
}

TEST_CASE("trap 3, flags: lanes that rotate out of step cover nothing", "[traps]") {
  auto ring = [](const std::string &otherLane) {
    return Decided(usualKernel(loopOver(
        "n", "  event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n  event_t other = (event_t) (" + otherLane + ");\n" +
                 kLoadA +
                 "  set_flag(PIPE_MTE2, PIPE_V, id); // set\n  set_flag(PIPE_MTE2, PIPE_V, other); // set other\n"
                 "  wait_flag(PIPE_MTE2, PIPE_V, id); // wait\n  wait_flag(PIPE_MTE2, PIPE_V, other); // wait other\n" +
                 kReadA + "  pipe_barrier(PIPE_ALL) ; // ptosync: keep(end of trip)\n")));
  };
  Decided sameTrip = ring("i % 2 == 1 ? 3 : 2");
  CHECK((sameTrip.verdict("// wait\n") == kPairRemoved) != (sameTrip.verdict("// wait other") == kPairRemoved));
  CHECK_FALSE(anyGone(ring("n > 3 ? 3 : 2"), {"// wait\n"})); // not decided: it covers nothing
}

TEST_CASE("trap 4, flags: what goes round the loop counts", "[traps]") {
  const std::string trip = kLoadA + setFlag("in", 1) + waitFlag("in too", 1) + kReadA;
  CHECK(pairVerdict(loopOver("n", trip + setFlag("set", 0, kBack) + waitFlag("wait", 0, kBack))) != kPairGone);
  CHECK(pairVerdict(trip + setFlag("set", 0, kBack) + waitFlag("wait", 0, kBack)) == kPairGone);
  // The outer loop brings the inner one's load back.
  CHECK(pairVerdict(loopOver("n", trip + "  for (int32_t j = 0; j < n; ++j) {\n" + kFillD +
                                      "  pipe_barrier(PIPE_V);\n  }\n" + setFlag("set", 0, kBack) +
                                      waitFlag("wait", 0, kBack))) != kPairGone);
}

TEST_CASE("trap 5, flags: two of them do not justify each other, nor a flag and a barrier", "[traps]") {
  Decided two(
      usualKernel(kLoadA + setFlag("set") + setFlag("other", 1) + waitFlag("wait") + waitFlag("rest", 1) + kReadA));
  CHECK(two.removedLines().size() == 2);
  Decided all(usualKernel(kLoadA + setFlag("set") + waitFlag("wait") + "  pipe_barrier(PIPE_ALL) ; // all\n" + kReadA));
  CHECK(all.verdicts({"// set", "// wait", "// all"}) == "kept: hazard kept: hazard removed");
  Decided three(usualKernel(kLoadA + setFlag("a", 1) + setFlag("b", 2) + setFlag("c", 3) + waitFlag("x", 1) +
                            waitFlag("y", 2) + waitFlag("z", 3) + kReadA));
  CHECK(three.removedLines().size() == 4);
}

TEST_CASE("trap 6, flags: positions matter", "[traps]") {
  const std::string in = setFlag("in") + waitFlag("in too") + kReadA,
                    out = setFlag("out", 0, "PIPE_V, PIPE_MTE3") + waitFlag("out too", 0, "PIPE_V, PIPE_MTE3");
  const std::string set = setFlag("set", 0, "PIPE_MTE2, PIPE_MTE3"),
                    wait = waitFlag("wait", 0, "PIPE_MTE2, PIPE_MTE3") + "  TSTORE(h, a);\n";
  CHECK(pairVerdict(kLoadA + set + in + out + wait) == kPairGone);
  CHECK(pairVerdict(kLoadA + set + out + in + wait) != kPairGone);
  CHECK(pairVerdict(in + kLoadA + set + out + wait) != kPairGone);
}

TEST_CASE("trap 7, flags: an id that is used again must wait for its last use", "[traps]") {
  // The flag back is all that keeps the second setting behind the first wait.
  const std::string uses = kLoadA + setFlag("one") + waitFlag("two") + kReadA;
  Decided kernel(usualKernel(uses + setFlag("set", 0, kBack) + waitFlag("wait", 0, kBack) + "  TLOAD(b, g);\n" +
                             setFlag("three") + waitFlag("four") + "  TADDS(d, b, 1.0f);\n"));
  CHECK_FALSE(anyGone(kernel, {"// set", "// wait"}));
  Decided fault(usualKernel(kLoadA + setFlag("one") + setFlag("two") + waitFlag("three") + kReadA + waitFlag("four")));
  for (const char *mark : {"// one", "// two", "// three", "// four"})
    CHECK(fault.verdict(mark) == "kept: unbalanced");
}

TEST_CASE("trap 8, flags: an id that a library call uses inside", "[traps]") {
  Decided kernel(usualKernel("  TADDS(b, b, 1.0f);\n" + setFlag("set", 0, "PIPE_V, PIPE_S") + "  MGATHER(a, g, b);\n" +
                             waitFlag("wait", 0, "PIPE_V, PIPE_S")));
  CHECK(kernel.verdicts({"// set", "// wait"}) == "kept: unbalanced kept: unbalanced");
  // In front of the call it may not be moved into it.
  Decided before(usualKernel("  TADDS(b, b, 1.0f);\n" + setFlag("set", 0, "PIPE_V, PIPE_S") +
                             waitFlag("wait", 0, "PIPE_V, PIPE_S") +
                             "  float x = b.GetValue(0);\n  MGATHER(a, g, b);\n"));
  CHECK(before.outcome.result.tokenFaults.empty());
  CHECK(Decided(patched(before.outcome)).outcome.result.tokenFaults.empty());
}

TEST_CASE("trap 9, flags: the pipe depends on the overload", "[traps]") {
  std::string numbers = tileIn("Vec", "x", "int32_t", "1, 64", "1, 64", "65536") +
                        tileIn("Vec", "y", "int32_t", "1, 64", "1, 64", "66560") +
                        "  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, "
                        "pto::Layout::ND> w((__gm__ int32_t *) out);\n";
  auto stored = [&](const std::string &call, const char *pipes) {
    return pairVerdict(numbers + call + setFlag("set", 0, pipes) + waitFlag("wait", 0, pipes) + "  TSTORE(w, x);\n");
  };
  CHECK(stored("  TCI(x, 0, y);\n", "PIPE_V, PIPE_MTE3") != kPairGone);
  CHECK(stored("  TCI(x, 0);\n", "PIPE_S, PIPE_MTE3") != kPairGone);
  CHECK(stored("  TCI(x, 0);\n", "PIPE_V, PIPE_MTE3") == kPairGone); // it orders nothing of the scalar pipe
}

TEST_CASE("trap 12, flags: one text, several calls, both sections", "[traps]") {
  auto text = [](const std::string &second) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void helper() {\n" + setFlag("set") +
           waitFlag("wait") +
           "}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
           rowsAt("a", 4, "0") + rowsAt("c", 4, "1024") + tensorAt("g", "in") + "  helper();\n" + second + "}\n";
  };
  CHECK(Decided(text("")).verdicts({"// set", "// wait"}) == kPairGone);
  CHECK_FALSE(anyGone(Decided(text("  TLOAD(a, g);\n  helper();\n  TADDS(c, a, 1.0f);\n")), {"// set", "// wait"}));
  CHECK_FALSE(anyGone(
      Decided(text(
          "  #if defined(__DAV_VEC__)\n  TLOAD(a, g);\n  helper();\n  TADDS(c, a, 1.0f);\n  #endif // __DAV_VEC__\n")),
      {"// set", "// wait"}));
}

TEST_CASE("trap 14, flags: intent holds for the whole web", "[traps]") {
  const std::string kept = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: keep(timing) wait\n";
  Decided kernel(usualKernel(kLoadA + setFlag("set") + kept + kFillD));
  CHECK(kernel.verdict("// set") == "kept: protected");
  CHECK(kernel.verdict("keep(timing) wait") == "kept: protected"); // nor moved
  CHECK(pairVerdict(kLoadA + setFlag("set") + waitFlag("wait") + kFillD) == kPairGone);
}

TEST_CASE("trap 18, flags: rings of three with loads two trips ahead", "[traps]") {
  const std::string lane = "  event_t id = (event_t) (i % 3 == 2 ? 2 : i % 3 == 1 ? 1 : 0);\n" +
                           rowsAt("w", 4, "i % 3 == 2 ? 67584 : i % 3 == 1 ? 66560 : 65536");
  auto ring = [&](const std::string &bound, const std::string &extra) {
    std::string text;
    for (int id = 0; id < 3; ++id)
      text += setFlag("prime " + std::to_string(id), id, kBack);
    text += loopOver(
        bound,
        lane +
            "  wait_flag(PIPE_V, PIPE_MTE2, id); // back\n  TLOAD(w, g);\n  set_flag(PIPE_MTE2, PIPE_V, id); // set\n" +
            extra +
            "  wait_flag(PIPE_MTE2, PIPE_V, id); // wait\n  TADDS(w, w, 1.0f);\n  set_flag(PIPE_V, PIPE_MTE2, id); // "
            "on\n");
    for (int id = 0; id < 3; ++id)
      text += waitFlag("drain " + std::to_string(id), id, kBack);
    return usualKernel(text);
  };
  for (const char *bound : {"n", "0", "1", "2", "3", "4", "5", "7"}) {
    INFO("trips: " << bound);
    Decided kernel(ring(bound, ""));
    CHECK(kernel.outcome.result.tokenFaults.empty());
    CHECK(kernel.outcome.result.unresolved.empty());
    if (std::string(bound) != "0")
      CHECK_FALSE(anyGone(kernel, {"// back", "// set", "// wait", "// on", "// prime 0", "// prime 1", "// prime 2",
                                   "// drain 0", "// drain 1", "// drain 2"}));
    // A second flag beside the lanes goes, and takes nothing with it; or the lanes' does.
    Decided twice(ring(bound, "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5); // beside\n  wait_flag(PIPE_MTE2, PIPE_V, "
                              "EVENT_ID5); // beside too\n"));
    if (std::string(bound) != "0")
      CHECK((twice.verdict("// beside\n") == kPairRemoved) != (twice.verdict("// set") == kPairRemoved));
    Decided again(patched(twice.outcome));
    CHECK(again.outcome.result.tokenFaults.empty());
    CHECK(again.outcome.result.unresolved.empty());
  }
}

TEST_CASE("trap 18, flags: a prime is no pair with the first trip's wait", "[traps]") {
  // In the first trip alone prime and wait order nothing; they are the loop's.
  Decided kernel(usualKernel(setFlag("prime", 0, kBack) +
                             loopOver("n", waitFlag("wait", 0, kBack) + kLoadA + setFlag("in") + waitFlag("in too") +
                                               kReadA + setFlag("set", 0, kBack)) +
                             waitFlag("drain", 0, kBack)));
  CHECK_FALSE(anyGone(kernel, {"// prime", "// wait", "// set", "// drain", "// in\n", "// in too"}));
}

TEST_CASE("trap 22, flags: a pair that is not seen ordered pins what may order it", "[traps]") {
  CHECK(pairVerdict(kLoadA + "  if (n > 3) {\n" + setFlag("set") + waitFlag("wait") + "  }\n" + kReadA) ==
        "kept: unresolved kept: unresolved");
  // Loaded under a condition, ordered under the same one, read under it: seen unordered, ordered in truth.
  auto when = [](const std::string &inside) { return "  if (n > 3) {\n" + inside + "  }\n"; };
  CHECK(pairVerdict(when(kLoadA) + when(setFlag("set") + waitFlag("wait")) + when(kReadA)) ==
        "kept: unresolved kept: unresolved");
  // A flag that no such pair could need goes all the same.
  CHECK(pairVerdict(kLoadA + kReadA + setFlag("set", 0, "PIPE_MTE3, PIPE_V") +
                    waitFlag("wait", 0, "PIPE_MTE3, PIPE_V")) == kPairGone);
}
