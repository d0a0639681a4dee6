#include "replay/run_choice.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

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
