#include "optimize/remove_generation.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kGenerationLoad = "  TLOAD(a, g);\n", kGenerationRead = "  TADDS(c, a, 1.0f);\n",
                  kOther = "  TADDS(d, b, 1.0f);\n";

std::string inArm(const std::string &inside) {
  return kGenerationLoad + setFlag("first") + "  if (n > 3) {\n" + inside + "  }\n" + waitFlag("last") +
         kGenerationRead;
}

} // namespace

TEST_CASE("remove generation: a wait and the set behind it, in an arm", "[generations]") {
  Decided kernel(usualKernel(inArm(waitFlag("wait") + kOther + setFlag("set"))));
  CHECK(kernel.verdicts({"// first", "// wait", "// set", "// last"}) == "kept: hazard removed removed kept: hazard");
  CHECK(kernel.pattern("// wait") == "redundant-generation");
  CHECK(kernel.at("// wait").edit == kernel.at("// set").edit);
}

TEST_CASE("remove generation: what the arm needs", "[generations]") {
  Decided reads(usualKernel(inArm(waitFlag("wait") + "  TADDS(d, a, 1.0f);\n" + setFlag("set"))));
  CHECK(reads.verdicts({"// wait", "// set"}) == "kept: hazard kept: hazard");
  // The second set covers a load that the arm adds.
  Decided loads(usualKernel(inArm(waitFlag("wait") + "  TLOAD(b, g);\n" + setFlag("set")) + "  TADDS(d, b, 1.0f);\n"));
  CHECK(loads.verdict("// wait") != "removed");
  // Handed on to a third pipe.
  Decided relays(usualKernel(inArm(waitFlag("wait") + setFlag("on", 0, "PIPE_V, PIPE_MTE3") +
                                   waitFlag("there", 0, "PIPE_V, PIPE_MTE3") + "  TSTORE(h, a);\n" + setFlag("set"))));
  CHECK(relays.verdict("// wait") != "removed");
}

TEST_CASE("remove generation: tokens stay balanced on every path", "[generations]") {
  // In each trip one wait more than sets: without the loop's statements prime and drain would not fit each other.
  Decided kernel(usualKernel(kGenerationLoad + setFlag("one") + waitFlag("two") + kGenerationRead +
                             loopOver("n", setFlag("set") + "  if (n > 3) {\n" + waitFlag("wait") + kOther +
                                               "  } else {\n" + waitFlag("else") + "  }\n") +
                             setFlag("three") + waitFlag("four")));
  CHECK(kernel.outcome.result.tokenFaults.empty());
  Decided again(patched(kernel.outcome));
  CHECK(again.outcome.result.tokenFaults.empty());
  // A pair that is not in one straight line stays: one arm alone gives the flag back.
  Decided apart(usualKernel(inArm(waitFlag("wait") + "  if (n > 4) {\n" + kOther + "  }\n" + setFlag("set"))));
  CHECK(apart.outcome.result.tokenFaults.empty());
  CHECK(apart.verdicts({"// first", "// last"}) == "kept: hazard kept: hazard");
}

TEST_CASE("remove generation: the statements of a loop, between prime and drain", "[generations]") {
  // Nothing in the loop needs the flag; behind it the reader needs the prime's load.
  std::string text =
      usualKernel(kGenerationLoad + setFlag("prime") +
                  loopOver("n", waitFlag("wait") + "  TEXPANDS(d, 1.0f);\n  pipe_barrier(PIPE_V);\n" + setFlag("set")) +
                  waitFlag("drain") + kGenerationRead);
  Decided kernel(text);
  CHECK(kernel.verdicts({"// prime", "// wait", "// set", "// drain"}) == "kept: hazard removed removed kept: hazard");
  // Its own output is left as it is.
  Decided again(patched(kernel.outcome));
  for (const SiteDecision &decision : again.outcome.result.decisions)
    CHECK(decision.verdict == Verdict::Kept);
}

TEST_CASE("remove generation: the drain of one loop and the prime of the next", "[generations]") {
  const std::string back = "PIPE_V, PIPE_MTE2";
  auto sweep = [&](const std::string &buffer, const std::string &name, int id) {
    return loopOver("n", waitFlag("wait " + name, id, back) + "  TLOAD(" + buffer + ", g);\n" + setFlag("loaded") +
                             waitFlag("there") + "  TADDS(d, " + buffer + ", 1.0f);\n" +
                             setFlag("set " + name, id, back));
  };
  auto two = [&](const std::string &buffer, const std::string &between, int id) {
    return usualKernel(setFlag("prime", 0, back) + sweep("a", "one", 0) + waitFlag("drain", 0, back) + between +
                       setFlag("again", id, back) + sweep(buffer, "two", id) + waitFlag("end", id, back));
  };
  Decided kernel(two("a", "", 0));
  CHECK(kernel.verdicts({"// prime", "// drain", "// again", "// end"}) == "kept: hazard removed removed kept: hazard");
  CHECK(kernel.pattern("// drain") == "redundant-generation");
  CHECK(kernel.at("// drain").edit == kernel.at("// again").edit);
  Decided again(patched(kernel.outcome));
  CHECK(again.outcome.result.tokenFaults.empty());
  CHECK(again.verdicts({"// prime", "// end"}) == "kept: hazard kept: hazard");
  // The drain alone lets a load go behind what is read between the loops.
  Decided needed(two("a", "  TLOAD(d, g);\n", 0));
  CHECK(needed.verdict("// drain") != "removed");
  // Another id is another flag.
  Decided other(two("a", "", 1));
  CHECK(other.verdict("// drain") != "removed");
}

TEST_CASE("remove generation: not where some trips skip the flag", "[generations]") {
  const char *const back = "PIPE_V, PIPE_MTE2";
  Decided kernel(usualKernel("  TADDS(c, a, 1.0f);\n" + setFlag("prime", 0, back) +
                             loopOver("n", "  if (i == n / 2) {\n" + waitFlag("wait", 0, back) + "  TLOAD(b, g);\n" +
                                               setFlag("set", 0, back) + "  }\n") +
                             waitFlag("drain", 0, back) + kGenerationLoad));
  CHECK(kernel.verdicts({"// prime", "// wait", "// set", "// drain"}) ==
        "kept: intermittent kept: intermittent kept: intermittent kept: intermittent");
}

TEST_CASE("remove generation: its pattern must be enabled", "[generations]") {
  std::string text = usualKernel(inArm(waitFlag("wait") + kOther + setFlag("set")));
  CHECK(Decided(text, {"--patterns=redundant-flag"}).verdict("// wait") == "kept: hazard");
  CHECK(Decided(text, {"--patterns=redundant-generation"}).verdict("// wait") == "removed");
  CHECK(Decided(text, {"--max-removals=0"}).verdict("// wait") != "removed");
}
