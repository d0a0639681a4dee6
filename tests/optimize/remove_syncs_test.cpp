#include "optimize/decided.h"
#include "optimize/edit_kinds.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kBarredWrite = "  TADDS(a, b, 1.0f);\n", kBarredRead = "  TADDS(c, a, 1.0f);\n";

} // namespace

TEST_CASE("remove barrier: PIPE_ALL first, then from the deepest loop out", "[barriers]") {
  // Either would do for the pair; the one of all pipes goes, although it stands second.
  Decided all(
      usualKernel(kBarredWrite + "  pipe_barrier(PIPE_V); // one\n  pipe_barrier(PIPE_ALL) ; // all\n" + kBarredRead));
  CHECK(all.verdicts({"// one", "// all"}) == "kept: hazard removed");
  // The inner one goes before the outer one is tried.
  Decided nested(usualKernel("  pipe_barrier(PIPE_V); // outer\n" +
                             loopOver("2", "  pipe_barrier(PIPE_V); // inner\n  TADDS(d, d, 1.0f);\n") + kBarredRead));
  CHECK(nested.verdict("// inner") == "kept: hazard"); // d follows d
  Decided straight(usualKernel(kBarredWrite + "  pipe_barrier(PIPE_V); // outer\n" +
                               loopOver("2", "  pipe_barrier(PIPE_V); // inner\n" + kBarredRead)));
  CHECK(straight.verdicts({"// outer", "// inner"}) ==
        "removed kept: hazard"); // the inner one orders c after c as well
}

TEST_CASE("remove barrier: edits are numbered in the order in which they are made", "[barriers]") {
  Decided kernel(
      usualKernel("  pipe_barrier(PIPE_V); // one\n  TADDS(d, d, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // two\n" +
                  loopOver("n", "  pipe_barrier(PIPE_MTE3); // three\n")));
  CHECK(kernel.at("// two").edit == 1);
  CHECK(kernel.at("// three").edit == 2);
  CHECK(kernel.at("// one").edit == 3);
}

TEST_CASE("remove barrier: those that go are tried together, and decided as they are one by one", "[barriers]") {
  // Of twenty in a row one is needed, the last; of twenty behind the read none.
  constexpr int kInARow = 20;
  std::string text = kBarredWrite;
  for (int i = 0; i < 2 * kInARow; ++i) {
    text += "  pipe_barrier(PIPE_V); // number " + std::to_string(i) + ".\n";
    if (i == kInARow - 1)
      text += kBarredRead;
  }
  const std::string kernel = usualKernel(text + "  TADDS(d, b, 1.0f);\n"); // so that none is the end fence
  auto named = [](int i) { return "// number " + std::to_string(i) + "."; };
  const Decided all(kernel);
  std::uint32_t edit = 0;
  for (int i = 0; i < 2 * kInARow; ++i) {
    INFO(named(i));
    CHECK(all.verdict(named(i)) == (i == kInARow - 1 ? "kept: hazard" : "removed"));
    CHECK(all.at(named(i)).edit == (i == kInARow - 1 ? 0 : ++edit));
  }
  // --max-removals makes the first so many of these edits.
  for (int most : {0, 1, 4, 5, 6, 11, 19, 20, 33}) {
    const Decided limited(kernel, {("--max-removals=" + std::to_string(most)).c_str()});
    for (int i = 0; i < 2 * kInARow; ++i) {
      INFO(most << " " << named(i));
      const std::uint32_t number = all.at(named(i)).edit;
      CHECK(limited.at(named(i)).edit == (number <= static_cast<std::uint32_t>(most) ? number : 0));
    }
  }
}

TEST_CASE("remove barrier: the pattern that claims it, not the one asked last", "[barriers]") {
  std::string text = usualKernel(kBarrier + kBarredWrite);
  CHECK(Decided(text).pattern("// barrier") == "redundant-pipe-v");
  CHECK(Decided(text).verdict("// barrier") == "removed");
  for (const char *patterns : {"--patterns=redundant-pipe-mte3", "--patterns=redundant-flag"})
    CHECK(Decided(text, {patterns}).verdict("// barrier") == "kept: not-nominated");
}

TEST_CASE("remove barrier: flags are there when barriers are judged", "[barriers]") {
  // The barrier goes because of the two flags; then they stay, because it is gone.
  Decided kernel(usualKernel(kBarredWrite + setFlag("out", 0, "PIPE_V, PIPE_MTE2") +
                             waitFlag("in", 0, "PIPE_V, PIPE_MTE2") + setFlag("back") + waitFlag("again") + kBarrier +
                             kBarredRead));
  CHECK(kernel.verdict("// barrier") == "removed");
  CHECK(kernel.verdicts({"// out", "// in", "// back", "// again"}) ==
        "kept: hazard kept: hazard kept: hazard kept: hazard");
}

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

namespace {

/// Every spelling of a signal on `pipe` that an architecture has.
std::vector<std::string> signalsOn(const std::string &pipe, const std::string &arch) {
  const std::string message = "  uint16_t message = getFFTSMsg(FFTS_MODE_VAL, 2);\n";
  std::vector<std::string> signals;
  for (const std::string prefix : {"  ", "  __builtin_cce_"}) {
    signals.push_back(message + prefix + "ffts_cross_core_sync(" + pipe + ", message);\n");
    signals.push_back(prefix + "ffts_cross_core_sync(" + pipe + ", getFFTSMsg(1, 2));\n");
    if (arch == "a5")
      signals.push_back(prefix + "set_intra_block(" + pipe + ", 2);\n");
  }
  return signals;
}

} // namespace

TEST_CASE("remove web: into the pipe of a signal to another core", "[webs]") {
  // Nothing of this core follows on the pipe: the other core reads what was made in front of the signal.
  for (const std::string arch : {"a3", "a5"}) {
    RunOptions options;
    options.arch = arch;
    for (const std::string &signal : signalsOn("PIPE_MTE3", arch)) {
      INFO(arch << signal);
      CHECK(Decided(usualKernel(kWebRead + setFlag("set", 0, kVToStore) + waitFlag("wait", 0, kVToStore) + signal),
                    options)
                .verdicts({"// set", "// wait"}) == kNeeded);
    }
    const char *const product = "PIPE_M, PIPE_FIX";
    for (const std::string &signal : signalsOn("PIPE_FIX", arch)) {
      INFO(arch << signal);
      CHECK(Decided(vectorKernel(matrixTiles() + "  TMATMUL(c, l, r);\n" + setFlag("set", 0, product) +
                                 waitFlag("wait", 0, product) + signal),
                    options)
                .verdicts({"// set", "// wait"}) == kNeeded);
    }
  }
}

TEST_CASE("remove web: behind a wait for another core", "[webs]") {
  for (const std::string arch : {"a3", "a5"})
    for (const std::string prefix : {"  ", "  __builtin_cce_"})
      for (const std::string wait :
           {"wait_flag_dev(2);\n", "wait_flag_dev(PIPE_S, 2);\n", "wait_intra_block(PIPE_V, 2);\n"}) {
        if (arch == "a3" && wait.find("PIPE") != std::string::npos)
          continue; // which it does not have
        INFO(arch << prefix << wait);
        RunOptions options;
        options.arch = arch;
        const std::string call = prefix + wait;
        CHECK(Decided(usualKernel(call + setFlag("set", 0, "PIPE_V, PIPE_MTE2") +
                                  waitFlag("wait", 0, "PIPE_V, PIPE_MTE2") + kWebLoad),
                      options)
                  .verdicts({"// set", "// wait"}) == kNeeded);
      }
}

TEST_CASE("remove web: the message of a signal is a number", "[webs]") {
  const std::string message = "  uint16_t message = getFFTSMsg(FFTS_MODE_VAL, 2);\n";
  CHECK(verdictOf(kWebLoad + setFlag("set") + waitFlag("wait") + message + "  TADDS(c, b, 1.0f);\n") == kGone);
  CHECK(verdictOf(kWebLoad + message + setFlag("set") + waitFlag("wait") + "  TADDS(c, b, 1.0f);\n") == kGone);
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

namespace {

constexpr const char *kThere = "PIPE_V, PIPE_MTE3", *kBack = "PIPE_MTE3, PIPE_V";

/// Two flags that hold each other, round a loop with `inside` between them.
std::string handshake(const std::string &between = "", const std::string &behind = "") {
  return loopOver("n", setFlag("set there", 0, kThere) + waitFlag("wait there", 0, kThere) + between +
                           setFlag("set back", 0, kBack) + waitFlag("wait back", 0, kBack) + behind);
}

constexpr auto kHandshakeFour = {"// set there", "// wait there", "// set back", "// wait back"};

} // namespace

TEST_CASE("remove handshake: two flags that hold each other, and nothing else", "[handshakes]") {
  Decided kernel(usualKernel(handshake()));
  CHECK(kernel.verdicts(kHandshakeFour) == "removed removed removed removed");
  CHECK(kernel.pattern("// wait back") == "redundant-flag");
  CHECK(kernel.at("// wait there").edit == kernel.at("// set back").edit);
}

TEST_CASE("remove handshake: what one of them orders keeps both", "[handshakes]") {
  // The store reads what the vector pipe writes, in every trip.
  Decided kernel(usualKernel(handshake("  TSTORE(h, a);\n", "  TADDS(a, b, 1.0f);\n")));
  CHECK(kernel.verdict("// wait there") != "removed");
  CHECK(kernel.verdict("// wait back") != "removed");
}

TEST_CASE("remove handshake: a ring of three", "[handshakes]") {
  Decided kernel(usualKernel(
      loopOver("n", setFlag("set 1", 0, "PIPE_V, PIPE_MTE3") + waitFlag("wait 1", 0, "PIPE_V, PIPE_MTE3") +
                        setFlag("set 2", 0, "PIPE_MTE3, PIPE_MTE2") + waitFlag("wait 2", 0, "PIPE_MTE3, PIPE_MTE2") +
                        setFlag("set 3", 0, "PIPE_MTE2, PIPE_V") + waitFlag("wait 3", 0, "PIPE_MTE2, PIPE_V"))));
  CHECK(kernel.verdicts({"// set 1", "// wait 2", "// set 3"}) == "removed removed removed");
}

TEST_CASE("remove handshake: a half that may not be edited keeps the other", "[handshakes]") {
  Decided kernel(usualKernel(loopOver("n", setFlag("set there", 0, kThere) + waitFlag("wait there", 0, kThere) +
                                               setFlag("set back", 0, kBack) +
                                               "  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // ptosync: keep(mine)\n")));
  CHECK(kernel.verdict("// set there") == "kept: hazard");
  CHECK(kernel.verdict("// set back") == "kept: protected");
}

TEST_CASE("remove handshake: neither without the pattern that asks for flags, nor beyond the limit", "[handshakes]") {
  Decided none(usualKernel(handshake()), {"--patterns=redundant-generation"});
  CHECK(none.verdict("// set there") != "removed");
  RunOptions options;
  options.optimize.maxRemovals = 0;
  CHECK(Decided(usualKernel(handshake()), options).verdict("// set there") != "removed");
}
