#include "optimize/remove_web.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *const kGone = "removed removed", *const kNeeded = "kept: hazard kept: hazard";
const std::string kWebLoad = "  TLOAD(a, g);\n", kWebRead = "  TADDS(c, a, 1.0f);\n", kStore = "  TSTORE(h, a);\n";
const char *const kVToStore = "PIPE_V, PIPE_MTE3", *const kLoadToStore = "PIPE_MTE2, PIPE_MTE3";

std::string verdictOf(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).verdicts({"// set", "// wait"});
}

} // namespace

TEST_CASE("remove web: a flag that is needed, and one that is not", "[webs]") {
  CHECK(verdictOf(kWebLoad + setFlag("set") + waitFlag("wait") + kWebRead) == kNeeded);
  CHECK(verdictOf(kWebLoad + setFlag("set") + waitFlag("wait") + "  TADDS(c, b, 1.0f);\n") == kGone);
  CHECK(verdictOf(setFlag("set") + waitFlag("wait") + kWebLoad + kWebRead) == kGone); // in front of both
  CHECK(verdictOf(kWebLoad + kWebRead + setFlag("set") + waitFlag("wait")) == kGone); // behind both
  CHECK(verdictOf(kWebRead + setFlag("set", 0, "PIPE_V, PIPE_MTE2") + waitFlag("wait", 0, "PIPE_V, PIPE_MTE2") +
                  kWebLoad) == kNeeded); // WAR
}

TEST_CASE("remove web: a way round, by position", "[webs]") {
  auto around = [](const std::string &first, const std::string &second) {
    return verdictOf(kWebLoad + setFlag("set", 0, kLoadToStore) + first + second + waitFlag("wait", 0, kLoadToStore) +
                     kStore);
  };
  const std::string in = setFlag("in") + waitFlag("in too") + kWebRead;
  const std::string out = setFlag("out", 0, kVToStore) + waitFlag("out too", 0, kVToStore) + "  TSTORE(g, c);\n";
  CHECK(around(in, setFlag("out", 0, kVToStore) + waitFlag("out too", 0, kVToStore)) == kGone);
  CHECK(verdictOf(kWebLoad + setFlag("set", 0, kLoadToStore) + setFlag("out", 0, kVToStore) +
                  waitFlag("out too", 0, kVToStore) + in + waitFlag("wait", 0, kLoadToStore) + kStore) == kNeeded);
}

TEST_CASE("remove web: every trip of a loop, and the next one", "[webs]") {
  const std::string back = setFlag("set", 0, "PIPE_V, PIPE_MTE2") + waitFlag("wait", 0, "PIPE_V, PIPE_MTE2");
  const std::string trip = kWebLoad + setFlag("in") + waitFlag("in too") + kWebRead;
  CHECK(verdictOf(loopOver("n", trip + back)) == kNeeded); // the next load overwrites what is read
  CHECK(verdictOf(trip + back) == kGone);
  CHECK(verdictOf(loopOver("1", trip + back)) == kNeeded); // whatever its bounds
}

TEST_CASE("remove web: prime, drain and all between go together", "[webs]") {
  const char *const back = "PIPE_V, PIPE_MTE2";
  Decided kernel(usualKernel(setFlag("prime", 0, back) +
                             loopOver("n", waitFlag("wait", 0, back) + "  TLOAD(b, g);\n" + setFlag("set", 0, back)) +
                             waitFlag("drain", 0, back)));
  CHECK(kernel.verdicts({"// prime", "// wait", "// set", "// drain"}) == "removed removed removed removed");
  CHECK(kernel.at("// prime").edit == kernel.at("// drain").edit);
}

TEST_CASE("remove web: its own recycling is no reason to stay, that of others is", "[webs]") {
  const std::string twice = setFlag("one") + waitFlag("two");
  // The flag back is what keeps the second setting of id 0 from coming before the first is consumed.
  auto text = [&](const std::string &between) {
    return usualKernel(kWebLoad + twice + kWebRead + setFlag("set", 0, "PIPE_V, PIPE_MTE2") +
                       waitFlag("wait", 0, "PIPE_V, PIPE_MTE2") + between + "  TLOAD(b, g);\n" + setFlag("again") +
                       waitFlag("last") + "  TADDS(d, b, 1.0f);\n");
  };
  CHECK(Decided(text("")).verdict("// set") != "removed");
  CHECK(Decided(text(setFlag("other", 1, "PIPE_V, PIPE_MTE2") + waitFlag("rest", 1, "PIPE_V, PIPE_MTE2")))
            .verdicts({"// set", "// wait"}) == kGone);
}

TEST_CASE("remove web: nested flags are merged, by their own pattern", "[webs]") {
  const std::string nested = kWebLoad + setFlag("set") + "  TLOAD(b, g);\n" + setFlag("inner", 1) +
                             waitFlag("inner too", 1) + "  TADDS(d, b, 1.0f);\n" + waitFlag("wait") + kWebRead;
  Decided kernel(usualKernel(nested));
  CHECK(kernel.verdicts({"// set", "// wait"}) == kGone);
  CHECK(kernel.pattern("// set") == "nested-flags");
  CHECK(kernel.verdict("// inner too") == "kept: hazard");
  CHECK(Decided(usualKernel(nested), {"--patterns=nested-flags"}).verdicts({"// set", "// wait"}) == kGone);
  CHECK(Decided(usualKernel(nested), {"--patterns=redundant-flag"}).pattern("// set") == "redundant-flag");
  // Side by side: not nested, so only the pattern for any flag takes one out.
  const std::string beside =
      kWebLoad + setFlag("set") + setFlag("inner", 1) + waitFlag("wait") + waitFlag("inner too", 1) + kWebRead;
  CHECK(Decided(usualKernel(beside), {"--patterns=nested-flags"}).verdict("// set") == "kept: not-nominated");
  CHECK(Decided(usualKernel(beside)).verdicts({"// set", "// wait"}) == kGone);
}

TEST_CASE("remove web: intermittent flags stay though each trip is covered", "[webs]") {
  const char *const back = "PIPE_V, PIPE_MTE2";
  auto guarded = [&](const std::string &condition) {
    return Decided(usualKernel(setFlag("prime", 0, back) +
                               loopOver("n", "  if (" + condition + ") {\n" + waitFlag("wait", 0, back) +
                                                 "  TLOAD(b, g);\n" + setFlag("set", 0, back) + "  }\n") +
                               waitFlag("drain", 0, back)))
        .verdicts({"// prime", "// wait", "// set", "// drain"});
  };
  CHECK(guarded("(i ^ n) > 3") == "kept: intermittent kept: intermittent kept: intermittent kept: intermittent");
  // Not where the trips that use it are one after the other.
  CHECK(guarded("i > n / 2") == "removed removed removed removed");
}

TEST_CASE("remove web: a flag whose trips a phase tells goes where each is covered", "[webs]") {
  const char *const back = "PIPE_V, PIPE_MTE2";
  auto verdict = [&](const std::string &condition, const std::string &work) {
    Decided kernel(usualKernel(setFlag("prime", 0, back) +
                               loopOver("n", "  if (" + condition + ") {\n" + waitFlag("wait", 0, back) + work +
                                                 setFlag("set", 0, back) + "  }\n") +
                               waitFlag("drain", 0, back)));
    return kernel.verdict("// wait");
  };
  for (const char *condition : {"i % 2 == 0", "i == 0", "(i / 4) % 2 == 1"}) {
    CHECK(verdict(condition, "  TLOAD(b, g);\n") == "removed");
    // The load must come behind what has read the tile, two trips before.
    CHECK(verdict(condition,
                  "  TLOAD(b, g);\n" + setFlag("loaded", 5) + waitFlag("load", 5) + "  TADDS(c, b, 1.0f);\n") ==
          (std::string(condition) == "i == 0" ? "removed" : "kept: hazard"));
  }
}

TEST_CASE("remove web: in front of an opaque call", "[webs]") {
  const std::string fence = "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE);\n";
  CHECK(verdictOf("  TSTORE(h, b);\n" + setFlag("set", 0, "PIPE_MTE3, PIPE_S") +
                  waitFlag("wait", 0, "PIPE_MTE3, PIPE_S") + fence) == kNeeded);
  CHECK(verdictOf(kWebLoad + setFlag("set") + waitFlag("wait") + "  TFROBNICATE(c);\n") == kNeeded);
}

TEST_CASE("remove web: what a pair that is not seen ordered may need stays", "[webs]") {
  // The reader is reached on two paths; on the one through the arm the flag orders it.
  Decided kernel(usualKernel(kWebLoad + "  if (n > 3) {\n" + setFlag("set") + waitFlag("wait") + "  }\n" + kWebRead));
  CHECK(kernel.verdicts({"// set", "// wait"}) == "kept: unresolved kept: unresolved");
  CHECK(kernel.witness("// wait") == "RAW TLOAD(a, g) -> TADDS(c, a, 1.0f) on UB [0, 1024)");
}

TEST_CASE("remove web: evidence names what covers it", "[webs]") {
  Decided kernel(
      usualKernel(kWebLoad + setFlag("set") + setFlag("other", 1) + waitFlag("wait") + waitFlag("rest", 1) + kWebRead));
  REQUIRE(kernel.verdicts({"// set", "// wait"}) == kGone);
  const SiteDecision &set = kernel.at("// set"), &wait = kernel.at("// wait");
  REQUIRE(set.evidence.size() == 1);
  CHECK(set.evidence[0].by == Evidence::By::Web);
  CHECK(set.evidence[0].lines == std::vector<std::uint32_t>{lineOf(kernel.text, "// wait")});
  REQUIRE_FALSE(wait.evidence.empty());
  CHECK(wait.evidence[0].by == Evidence::By::Sync);
  CHECK(std::count(wait.evidence[0].lines.begin(), wait.evidence[0].lines.end(), lineOf(kernel.text, "// rest")) == 1);
  // With nothing behind the wait there is nothing to cover.
  Decided none(usualKernel(kWebLoad + setFlag("set") + waitFlag("wait")));
  REQUIRE(none.at("// wait").evidence.size() == 1);
  CHECK(none.at("// wait").evidence[0].by == Evidence::By::Nothing);
}
