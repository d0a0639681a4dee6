// Which syncs runs need: small kernels whose answer is known, and inputs that bring two places together.
#include "replay/needed.h"

#include "replay/choose/aimed_runs.h"
#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const std::string kNeededTiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096);

std::string placeIn(const std::string &name, const std::string &pointer) {
  return "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> " +
         name + "(" + pointer + ");\n";
}

/// All syncs of the body together, but for the barrier that ends each kernel. `pairs`: lines to aim at.
Need needOf(const Module &module, const Options &options = {},
            const std::vector<std::pair<std::uint32_t, std::uint32_t>> &pairs = {}) {
  NeedQuestion question{{}, pairs};
  for (SiteId site = 0; site < module.sites.size(); ++site)
    if (module.sites[site].text != "pipe_barrier(PIPE_ALL)")
      question.sites.insert(site);
  return llvm::cantFail(whatIsNeeded(module, {question}, machineOf("a3"), options)).front();
}
Need needOf(const std::string &body) { return needOf(lift(vectorKernel(kNeededTiles + body))); }

/// "needed RAW on UB [0, 2048), n=3".
std::string answerOf(const Need &need) {
  std::string text = needAnswerName(need.answer);
  if (need.finding)
    text += " " + (need.finding->kind == FindingKind::Order ? need.finding->rule + " on " + need.finding->storage
                                                            : std::string(findingName(need.finding->kind)));
  return text;
}

/// Two stores with a barrier between them.
std::string twoStores(const std::string &first, const std::string &second, const std::string &before = "") {
  return before + placeIn("g", first) + placeIn("h", second) +
         "  TSTORE(g, a);\n  pipe_barrier(PIPE_MTE3);\n  TSTORE(h, b);\n";
}

} // namespace

TEST_CASE("needed: a barrier between a write and its read, with the run, the pair and the bytes") {
  const Need need = needOf("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n  TADDS(b, a, 1.0f);\n");
  CHECK(answerOf(need) == "needed RAW on UB [0, 2048)");
  REQUIRE(need.finding);
  CHECK(need.finding->earlier.beforeLine == 6);
  CHECK(need.finding->later.beforeLine == 8);
  CHECK(need.finding->kernel == "k");
  CHECK_FALSE(need.finding->run.empty());
  CHECK_FALSE(need.aimed);
}

TEST_CASE("needed: what no run loses") {
  CHECK(answerOf(needOf("  if (n > 3) {\n    TEXP(a, a);\n    pipe_barrier(PIPE_V);\n    TADDS(b, b, 1.0f);\n  }\n")) ==
        "nothing-lost");
  CHECK(answerOf(needOf(twoStores("out + n * 1024", "out + n * 1024 + 512"))) == "nothing-lost");
}

TEST_CASE("needed: arguments, the core's place and loaded numbers are solved for two places to meet") {
  const struct {
    std::string first, second, before, run;
  } cases[] = {
      {"out + n * 512", "out + 37 * 512", "", "n=37"},
      {"out + (n - 5) * 512", "out + 100 * 512", "", "n=105"},
      {"out + (n << 9)", "out + 37 * 512", "", "n=37"},
      {"out + (n / 7) * 512", "out + 90 * 512", "", ""},
      {"out + (n % 1000) * 512", "out + 777 * 512", "", ""},
      {"out + row * 512", "out + 37 * 512", "  int64_t row = (int64_t) ((__gm__ int32_t*) in)[n];\n",
       "a loaded value 37"},
      {"out + (n ^ 21) * 512", "out + 100 * 512", "", "n=113"},
  };
  for (const auto &one : cases) {
    CAPTURE(one.first);
    const Need need = needOf(twoStores(one.first, one.second, one.before));
    CHECK(answerOf(need).substr(0, 10) == "needed WAW");
    CHECK(need.aimed);
    REQUIRE(need.finding);
    CHECK_THAT(need.finding->run, Catch::Contains(one.run));
  }
}

TEST_CASE("needed: what no number of a run leaves open is aimed at by the lines of two instructions") {
  // Which block a core is decides more than places, as far as the replay knows: each run has its own.
  const Module module = lift(vectorKernel(kNeededTiles + twoStores("out + get_block_idx() * 512", "out + 37 * 512")));
  CHECK(answerOf(needOf(module)) == "nothing-lost");
  const Need need = needOf(module, {}, {{8, 10}});
  CHECK(answerOf(need).substr(0, 10) == "needed WAW");
  REQUIRE(need.finding);
  CHECK_THAT(need.finding->run, Catch::Contains("get_block_idx()=37"));
}

TEST_CASE("needed: iterations of a loop meet a place behind it") {
  const std::string loop = "  for (int32_t i = 0; i < 4; i += 1) {\n" + placeIn("g", "out + i * 512") +
                           "    TSTORE(g, a);\n  }\n  pipe_barrier(PIPE_MTE3);\n" + placeIn("h", "out + n * 2048") +
                           "  TSTORE(h, b);\n";
  CHECK(answerOf(needOf(loop)).substr(0, 10) == "needed WAW");
}

TEST_CASE("needed: numbers that memory holds count as the run draws them alone") {
  // The second half of one row is no first half of another, whatever is loaded.
  const std::string load =
      "  int64_t x = (int64_t) ((__gm__ int32_t*) in)[0];\n  int64_t y = (int64_t) ((__gm__ int32_t*) "
      "in)[1];\n";
  CHECK(answerOf(needOf(twoStores("out + x * 1024", "out + y * 1024 + 512", load))) == "in-no-run");
  CHECK(answerOf(needOf(twoStores("out + x * 1024", "out + y * 1024", load))).substr(0, 10) == "needed WAW");
}

TEST_CASE("needed: a flag with its web, and half of it") {
  const std::string body = placeIn("g", "in") + "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                                                "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(a, a, 1.0f);\n";
  CHECK(answerOf(needOf(body)) == "needed RAW on UB [0, 2048)");
  const Module module = lift(vectorKernel(kNeededTiles + body));
  const std::vector<Need> halves = llvm::cantFail(whatIsNeeded(module, {{{0}}, {{1}}}, machineOf("a3"), {}));
  CHECK(answerOf(halves[0]).substr(0, 6) == "needed");
  CHECK(answerOf(halves[1]).substr(0, 6) == "needed");
}

TEST_CASE("needed: what only a contested reading of the machine orders") {
  // The wait for the scalar pipe orders what follows on other pipes if it holds back all dispatch, and only then.
  const Need need =
      needOf("  TEXP(a, a);\n  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
             "  TADDS(b, a, 1.0f);\n");
  CHECK(answerOf(need).substr(0, 9) == "contested");
  REQUIRE(need.finding);
  CHECK(need.finding->contested);
}

TEST_CASE("needed: what a contested rule would order all the same is told apart") {
  const std::string loads =
      placeIn("g", "in") + placeIn("h", "out") + "  TLOAD(a, g);\n  pipe_barrier(PIPE_MTE2);\n  TLOAD(a, h);\n";
  const Need need = needOf(loads);
  CHECK(answerOf(need) == "needed WAW on UB [0, 2048)");
  CHECK(need.unless == "mte2-load-order");
  CHECK(needOf("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n  TADDS(b, a, 1.0f);\n").unless.empty());
}

TEST_CASE("needed: in no run, where all runs are alike or no inputs lead to it") {
  const std::string once = "  for (int32_t i = 0; i < 1; i += 1) {\n    TEXP(b, a);\n    pipe_barrier(PIPE_V);\n  }\n";
  CHECK(answerOf(needOf(once)) == "in-no-run");
  const std::string twice = "  for (int32_t i = 0; i < 2; i += 1) {\n    TEXP(b, a);\n    pipe_barrier(PIPE_V);\n  }\n";
  CHECK(answerOf(needOf(twice)) == "needed WAW on UB [4096, 6144)");
  const std::string nobody =
      "  if (n > 5) {\n    if (n < 3) {\n      pipe_barrier(PIPE_V);\n    }\n    TEXP(b, a);\n  }\n";
  CHECK(answerOf(needOf(nobody)) == "in-no-run");
}

TEST_CASE("needed: an argument decides, so that it is not said that no run needs it") {
  const std::string loop =
      "  for (int32_t i = 0; i < n; i += 1) {\n    TEXP(a, a);\n    pipe_barrier(PIPE_V);\n    TADDS(b, b, "
      "1.0f);\n    pipe_barrier(PIPE_V);\n  }\n";
  const Module module = lift(vectorKernel(kNeededTiles + loop));
  const std::vector<Need> needs = llvm::cantFail(whatIsNeeded(module, {{{0}}, {{1}}}, machineOf("a3"), {}));
  CHECK(answerOf(needs[0]) == "nothing-lost");
}

TEST_CASE("needed: two loads of one place give one number until somebody writes") {
  const std::string moved = placeIn("x", "out + *(__gm__ int32_t *) in * 512"), fixed = placeIn("y", "out + 3 * 512");
  const std::string twice = placeIn("x", "out + (*(__gm__ int32_t *) in) * 512 - (*(__gm__ int32_t *) in) * 512");
  const std::string stores = "  TSTORE(x, a);\n  pipe_barrier(PIPE_MTE3);\n  TSTORE(y, b);\n";
  CHECK(needOf(moved + fixed + stores).answer == NeedAnswer::Needed);
  CHECK(needOf(twice + fixed + stores).answer != NeedAnswer::Needed);
  auto between = [](const std::string &text) {
    return "  int32_t v = *(__gm__ int32_t *) in;\n" + text + "  int32_t w = *(__gm__ int32_t *) in;\n" +
           "  if (v != w) {\n  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(a, b, 1.0f);\n  }\n";
  };
  CHECK(needOf(between("")).answer != NeedAnswer::Needed);
  CHECK(needOf(between("  *(__gm__ int32_t *) in = v + 1;\n")).answer == NeedAnswer::Needed);
}

TEST_CASE("needed: bytes in front of where an argument points to are counted from there") {
  const Need need = needOf(placeIn("x", "out + (n % 4) * 512") + placeIn("y", "out - 512") +
                           "  TSTORE(x, a);\n  pipe_barrier(PIPE_MTE3);\n  TSTORE(y, b);\n");
  REQUIRE(need.answer == NeedAnswer::Needed);
  CHECK(need.finding->storage == "GM of argument 2 [-2048, 0)");
}

TEST_CASE("needed: a pointer may be null, though no run is made with one that is") {
  const std::string work = "  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(a, b, 1.0f);\n";
  CHECK(needOf("  if (in == nullptr) {\n" + work + "  }\n").answer == NeedAnswer::NotReached);
}

TEST_CASE("needed: two pointers that the text compares may be one buffer") {
  const std::string body = "  if (in == out) {\n    TEXP(b, b);\n  }\n" + twoStores("in", "out");
  const Need need = needOf(body);
  CHECK(answerOf(need).substr(0, 10) == "needed WAW");
  REQUIRE(need.finding);
  CHECK_THAT(need.finding->run, Catch::Contains("one buffer"));
  CHECK(answerOf(needOf(twoStores("in", "out"))) != answerOf(need));
}

TEST_CASE("needed: a helper's sync is needed if one of its kernels needs it") {
  const std::string begin = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
  const std::string text = begin + "AICORE inline void both(int64_t to) {\n" + kNeededTiles +
                           tile("c", "float", 8, 64, 8192) +
                           "  TASSIGN(b, to);\n  TEXP(a, c);\n  pipe_barrier(PIPE_V);\n  TADDS(c, b, 1.0f);\n}\n"
                           "extern \"C\" __global__ AICORE void apart(__gm__ float *in) {\n  both(4096);\n}\n"
                           "extern \"C\" __global__ AICORE void same(__gm__ float *in) {\n  both(0);\n}\n";
  const Need need = needOf(lift(text));
  CHECK(answerOf(need).substr(0, 6) == "needed");
}

TEST_CASE("needed: an argument that is given stays, and one that no kernel has is an error") {
  const Module module = lift(vectorKernel(kNeededTiles + twoStores("out + n * 512", "out + 37 * 512")));
  Options options;
  options.arguments["n"] = 4;
  CHECK(answerOf(needOf(module, options)) == "nothing-lost");
  options.arguments = {{"m", 4}};
  llvm::Expected<std::vector<Need>> needs = whatIsNeeded(module, {}, machineOf("a3"), options);
  CHECK(needs.errorIsA<ArgumentError>());
  llvm::consumeError(needs.takeError());
}
