#include "replay/choose/run_choice.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

constexpr std::uint32_t kArgumentN = 2; // of `vectorKernel`; the others are pointers

/// True if `n` decides places alone.
bool places(const std::string &body) {
  Replayed kernel(vectorKernel(kRowTile + body));
  return placeArguments(*kernel.subject).count(kArgumentN) != 0;
}

} // namespace

TEST_CASE("argument flow: an argument in an address alone is any number") {
  CHECK(places("  TLOAD(a, " + rowAt("n * 8") + ");\n"));
  CHECK(places("  int32_t m = n + 3;\n  TLOAD(a, " + rowAt("m * 8") + ");\n"));
  CHECK(places("  TASSIGN(a, (uint64_t) (n * 32));\n  TEXP(a, a);\n"));
  CHECK_FALSE(places("  int32_t m = n;\n  TEXP(a, a);\n")); // in none
}

TEST_CASE("argument flow: branches, flags, picks, sizes and what loops carry") {
  CHECK_FALSE(places("  for (int32_t i = 0; i < n; i += 1)\n    TLOAD(a, " + rowAt("i * 8") + ");\n"));
  CHECK_FALSE(places("  int32_t m = n * 2;\n  if (m == 4)\n    TEXP(a, a);\n"));
  CHECK_FALSE(places(
      "  set_flag(PIPE_V, PIPE_MTE3, (event_t) (n & 1));\n  wait_flag(PIPE_V, PIPE_MTE3, (event_t) (n & 1));\n"));
  CHECK_FALSE(places("  TASSIGN(a, (uint64_t) (n > 3 ? 0 : 32));\n  TEXP(a, a);\n"));
  CHECK_FALSE(places("  int64_t at = 0;\n  for (int32_t i = 0; i < 40; i += 1) {\n    TLOAD(a, " + rowAt("at") +
                     ");\n    at += n;\n  }\n"));
  CHECK_FALSE(
      places("  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, -1, 1>, pto::Layout::ND> g(in, "
             "pto::Shape<1, 1, 1, 1, 8>(), pto::Stride<8, 8, 8, -1, 1>(n));\n  TLOAD(a, g);\n"));
}

TEST_CASE("argument flow: what branches depend on") {
  Module one = lift(vectorKernel(kRowTile + "  int32_t m = n * 2;\n  if (m == 4)\n    TEXP(a, a);\n"));
  CHECK(controlArguments(one.kernels.at(0)) == std::set<std::uint32_t>{kArgumentN});
  Module none = lift(vectorKernel(kRowTile + "  TLOAD(a, " + rowAt("n * 8") + ");\n"));
  CHECK(controlArguments(none.kernels.at(0)).empty());
}

TEST_CASE("argument flow: places that an argument decides are compared for every number") {
  auto differs = [](const std::string &first, const std::string &second, const replay::Options &options = {}) {
    auto body = [&](const std::string &between) {
      return liftVector(kRowTile + "  TSTORE(" + rowAt(first) + ", a);\n" + between + "  TSTORE(" + rowAt(second) +
                        ", a);\n");
    };
    return difference(body("  pipe_barrier(PIPE_MTE3);\n"), body(""), options);
  };
  CHECK(differs("n * 8", "4096") == "order WAW 5>6\n");
  CHECK(differs("n * 8", "n * 8 + 8").empty());
  CHECK(differs("n * 8", "n * 8 + 4") == "order WAW 5>6\n");
  CHECK(differs("n * 16", "n * 16 + n * 8") == "order WAW 5>6\n");
  replay::Options fixed;
  fixed.arguments["n"] = 3;
  CHECK(differs("n * 8", "4096", fixed).empty());
  fixed.arguments["n"] = 512;
  CHECK(differs("n * 8", "4096", fixed) == "order WAW 5>6\n");
}

TEST_CASE("argument flow: behind a long loop that such an argument places, the numbers of the run are compared") {
  auto kernelWith = [&](const std::string &between, const std::string &behind) {
    return liftVector(kRowTile + "  for (int32_t i = 0; i < 60000; i += 1) {\n    TLOAD(a, " + rowAt("n * 8 + i * 8") +
                      ");\n    pipe_barrier(PIPE_ALL);\n  }\n  TSTORE(" + rowAt("n * 8") + ", a);\n" + between +
                      "  TSTORE(" + rowAt(behind) + ", a);\n");
  };
  const std::string barrier = "  pipe_barrier(PIPE_MTE3);\n";
  CHECK(difference(kernelWith(barrier, "n * 8"), kernelWith("", "n * 8")) == "order WAW 9>10\n");
  CHECK(difference(kernelWith(barrier, "n * 8 + 8"), kernelWith("", "n * 8 + 8")).empty());
}

namespace {

/// Trip counts of the first loop over all chosen runs.
std::set<std::uint64_t> trips(const std::string &body, Options options = {}) {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) + body), std::move(options));
  std::set<std::uint64_t> seen;
  for (const Inputs &inputs : chooseRuns(*kernel.subject, kernel.options)) {
    const Trace &trace = kernel.run(inputs);
    CHECK(trace.ending == Ending::Returned);
    if (auto found = trace.trips.find(0); found != trace.trips.end())
      seen.insert(found->second.begin(), found->second.end());
  }
  return seen;
}

bool covers(const std::set<std::uint64_t> &seen, std::initializer_list<std::uint64_t> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](std::uint64_t count) { return seen.count(count); });
}

} // namespace

TEST_CASE("replay: a loop that arguments decide runs 0, 1, 2 and ring depth + 1 times") {
  CHECK(covers(trips("  for (int32_t i = 0; i < n; i += 1) TEXP(v1, v1);\n"), {0, 1, 2, 3}));
  CHECK(covers(trips("  for (int32_t i = 0; i < n / 256 - 3; i += 1) TEXP(v1, v1);\n"), {0, 1, 2, 3}));
  CHECK(covers(trips("  for (int32_t i = 0; i < n; i += 96) TEXP(v1, v1);\n"), {0, 1, 2, 3}));
  CHECK(
      covers(trips("  for (int32_t i = 0; i < n; i += 1) { event_t e = (event_t) (i % 4); set_flag(PIPE_V, PIPE_S, e); "
                   "wait_flag(PIPE_V, PIPE_S, e); }\n"),
             {0, 1, 2, 5}));
}

TEST_CASE("replay: the place of the core, and lengths that memory holds") {
  CHECK(covers(trips("  for (int32_t i = get_block_idx(); i < 5; i += get_block_num()) TEXP(v1, v1);\n"), {0, 1, 2}));
  CHECK(covers(trips("  __gm__ int32_t *length = (__gm__ int32_t *) in;\n"
                     "  for (int32_t i = 0; i < length[0]; i += 64) TEXP(v1, v1);\n"),
               {0, 1, 2}));
}

TEST_CASE("replay: an argument that the user fixed stays fixed") {
  Options options;
  options.arguments["n"] = 11;
  CHECK(trips("  for (int32_t i = 0; i < n; i += 1) TEXP(v1, v1);\n", options) == std::set<std::uint64_t>{11});
}

TEST_CASE("replay: a kernel without choices is run once, one that never ends too") {
  Replayed plain(vectorKernel(tile("v1", "float", 16, 64, 0) + "  TEXP(v1, v1);\n"));
  CHECK(chooseRuns(*plain.subject, plain.options).size() == 1);
  Replayed endless(vectorKernel("  while (n == n) {}\n"));
  CHECK(chooseRuns(*endless.subject, endless.options).size() == 1);
}

TEST_CASE("replay: arguments that no kernel has, or that are pointers, are refused") {
  Replayed kernel(vectorKernel("  out[n] = in[n];\n"));
  auto problem = [&](const std::string &name) {
    Options options;
    options.arguments[name] = 1;
    return llvm::toString(checkArguments({kernel.subject.get()}, options));
  };
  CHECK(problem("n") == "");
  CHECK(problem("out") == "--arg out: is a pointer; only integer arguments can be set");
  CHECK(problem("m") == "--arg m: no kernel has an argument of this name; integer arguments are n");
}

TEST_CASE("run choice: the example in the header") {
  Replayed kernel(liftCorpus("zero_trip_loop"), "maybe_no_trip");
  const std::vector<Inputs> runs = chooseRuns(*kernel.subject, kernel.options);
  std::vector<std::int64_t> values;
  for (const Inputs &inputs : runs)
    values.push_back(inputs.arguments.at(3));
  CHECK(values == std::vector<std::int64_t>{3, 0, 1, 2, 6});
}

TEST_CASE("runs: what is assumed holds in every run that is tried") {
  Replayed kernel("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                  "extern \"C\" __global__ AICORE void k(__gm__ float *in, int32_t n, int32_t m, uint8_t b) {\n"
                  "  // ptosync: assume(n >= 1 && n < 4 && m > n + 2 && b < 3 && get_block_idx() < 3)\n" +
                  tile("v1", "float", 1, 64, 0) +
                  "  for (int32_t i = 0; i < n; i += 1)\n    if (m > i + 4 && b != 1)\n      TADDS(v1, v1, 1.0f);\n"
                  "  if (get_block_idx() == 2)\n    TADDS(v1, v1, 1.0f);\n}\n");
  std::vector<Inputs> runs = chooseRuns(*kernel.subject, {});
  CHECK(runs.size() > 2);
  std::set<std::int64_t> lengths;
  for (const Inputs &inputs : runs) {
    const std::int64_t n = inputs.argument(1), m = inputs.argument(2), b = inputs.argument(3);
    CHECK((n >= 1 && n < 4));
    CHECK(m > n + 2);
    CHECK(b < 3);
    CHECK(inputs.query("get_block_idx") < 3);
    lengths.insert(n);
  }
  CHECK(lengths.size() > 1);
}

TEST_CASE("runs: numbers are found that meet what relates them, if there are any") {
  auto problem = [](const std::string &assume) {
    Replayed kernel("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                    "extern \"C\" __global__ AICORE void k(__gm__ float *in, int32_t n, int32_t m) {\n"
                    "  // ptosync: assume(" +
                    assume + ")\n" + tile("v1", "float", 1, 64, 0) +
                    "  for (int32_t i = 0; i < n; i += 1)\n    if (m > i + 4)\n      TADDS(v1, v1, 1.0f);\n}\n");
    const Kernel &is = kernel.subject->kernel;
    if (llvm::Error error = checkArguments({kernel.subject.get()}, {}))
      return llvm::toString(std::move(error));
    for (const Inputs &inputs : chooseRuns(*kernel.subject, {}))
      for (const Assumption &one : is.assumptions) {
        std::int64_t sum = 0;
        for (const Assumption::Term &term : one.terms)
          sum += term.factor * inputs.argument(*term.argument);
        CHECK((sum >= one.lowest && sum <= one.highest));
      }
    return std::string();
  };
  CHECK(problem("n < -511 && m >= 8 && 8 <= m + 2 * n") == "");
  CHECK(problem("n >= 50000 && n < 60004 && m >= 0 && m < 100000 && 3 * n == 7 * m + 2") == "");
  CHECK(problem("n >= 0 && m >= 0 && n < 100 && m < 100 && 2 * n + 3 * m >= 490 && n <= m") == "");
  CHECK(problem("n >= 0 && m >= 0 && n < 7 && m + 512 <= n").find("kernel k: no run was found that meets all") == 0);
}
