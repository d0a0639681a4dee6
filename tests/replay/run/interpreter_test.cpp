#include "replay/run/interpreter.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// Iterations of the n-th and m-th instance of a run.
bool carried(const Trace &trace, std::size_t earlier, std::size_t later) {
  return loopCarried(trace, trace.instances[earlier].iteration, trace.instances[later].iteration);
}

} // namespace

TEST_CASE("replay: a pair is loop-carried if a loop around both went on in between") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  TEXP(v1, v1);\n"
                               "  for (int32_t i = 0; i < 2; i += 1) {\n    TEXP(v1, v1);\n"
                               "    for (int32_t j = 0; j < 2; j += 1) TADDS(v1, v1, 1.0f);\n  }\n  TEXP(v1, v1);\n"));
  const Trace &trace = kernel.run(); // TEXP, [TEXP, TADDS, TADDS] twice, TEXP
  CHECK_FALSE(carried(trace, 0, 1)); // into the loop
  CHECK_FALSE(carried(trace, 1, 2)); // same outer iteration
  CHECK_FALSE(carried(trace, 1, 3)); // the inner loop is around the later one only
  CHECK(carried(trace, 2, 3));
  CHECK(carried(trace, 1, 4));
  CHECK(carried(trace, 3, 5));       // another outer iteration
  CHECK_FALSE(carried(trace, 6, 7)); // out of the loops
}

TEST_CASE("replay: an iteration is described from the inside out") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  for (int32_t i = 0; i < 2; i += 1)\n    for (int32_t j = 0; j < 2; j += 1)\n"
                               "      TADDS(v1, v1, 1.0f);\n"));
  const Trace &trace = kernel.run();
  CHECK(describeIteration(trace, kernel.subject->nest, trace.instances[2].iteration) ==
        "iteration 0 of the loop at line 6, iteration 1 of the loop at line 5");
  CHECK(describeIteration(trace, kernel.subject->nest, kNone) == "");
}

namespace {

const std::string kTile = tile("v1", "float", 16, 64, 0);

} // namespace

TEST_CASE("replay: loops, branches and dynamic flag ids are followed") {
  Replayed kernel(vectorKernel(kTile + "  for (int32_t i = 0; i < n; i += 1) {\n"
                                       "    event_t e = (event_t) (i % 2);\n"
                                       "    set_flag(PIPE_V, PIPE_MTE3, e);\n"
                                       "    if (i == 1) { TADDS(v1, v1, 1.0f); } else { TEXP(v1, v1); }\n"
                                       "    wait_flag(PIPE_V, PIPE_MTE3, e);\n  }\n"));
  CHECK(issued(kernel.runWith(2)) == "set PIPE_V>PIPE_MTE3:0 | TEXP | wait PIPE_V>PIPE_MTE3:0 | "
                                     "set PIPE_V>PIPE_MTE3:1 | TADDS | wait PIPE_V>PIPE_MTE3:1");
  CHECK(kernel.trace.trips.at(0) == std::set<std::uint64_t>{2});
  CHECK(issued(kernel.runWith(0)) == "barrier PIPE_ALL");
  CHECK(kernel.trace.trips.at(0) == std::set<std::uint64_t>{0});
}

TEST_CASE("replay: of an event id above the last one the low bits count on a3; on a5 both readings are run") {
  const std::string text = vectorKernel("  set_flag(PIPE_MTE2, PIPE_V, (event_t) 9);\n");
  Replayed folded(text);
  CHECK(issued(folded.run()) == "set PIPE_MTE2>PIPE_V:1");
  CHECK_FALSE(folded.trace.openIds);
  Replayed open(text, {}, "a5");
  CHECK(issued(open.run()) == "set PIPE_MTE2>PIPE_V:9");
  CHECK(open.trace.openIds);
  RunRequest low;
  low.lowIds = true;
  CHECK(issued(interpret(*open.subject, low, open.options.budget)) == "set PIPE_MTE2>PIPE_V:1");
  // Agreement takes both readings: on one of them the second wait is fed by the first set.
  auto body = [](const std::string &first, const std::string &second) {
    return lift(vectorKernel(kTile + "  TEXP(v1, v1);\n  set_flag(PIPE_V, PIPE_MTE3, (event_t) 8);\n" + first +
                             "  wait_flag(PIPE_V, PIPE_MTE3, " + second + ");\n" +
                             "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, "
                             "pto::Layout::ND> g(out);\n  TSTORE(g, v1);\n"),
                "a5");
  };
  Module same = body("", "(event_t) 8");
  CHECK(difference(same, same, {}, "a5") == "");
  CHECK(difference(same, body("", "EVENT_ID0"), {}, "a5") != "");
}

TEST_CASE("replay: goto and early returns") {
  Replayed kernel(vectorKernel(kTile +
                               "  int32_t i;\n  i = 0;\nhead:\n  if (i == n) goto done;\n  TEXP(v1, v1);\n"
                               "  i = i + 1;\n  if (i == 3) return;\n  goto head;\ndone:\n  TADDS(v1, v1, 1.0f);\n"));
  CHECK(issued(kernel.runWith(2)) == "TEXP | TEXP | TADDS");
  CHECK(issued(kernel.runWith(9)) == "TEXP | TEXP | TEXP");
}

TEST_CASE("replay: helpers, arrays and conditions on the place of the core") {
  Replayed kernel(
      "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
      "AICORE void twice(Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, "
      "PadValue::Null, CompactMode::Null> &t) { TEXP(t, t); TEXP(t, t); }\n"
      "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" +
      kTile +
      "  int32_t ids[2] = {4, 6};\n  twice(v1);\n  if (get_block_idx() == 1) set_flag(PIPE_V, PIPE_S, (event_t) "
      "ids[n]);\n}\n");
  Inputs inputs;
  inputs.arguments[2] = 1;
  CHECK(issued(kernel.run(inputs)) == "TEXP | TEXP");
  inputs.queries["get_block_idx"] = 1;
  CHECK(issued(kernel.run(inputs)) == "TEXP | TEXP | set PIPE_V>PIPE_S:6");
}

TEST_CASE("replay: a long constant loop is run until it repeats itself, and its end again") {
  const std::string body = kTile + "  for (int32_t i = 0; i < 100000; i += 1) {\n    event_t e = (event_t) (i % 3);\n"
                                   "    set_flag(PIPE_V, PIPE_MTE3, e);\n    if (i == 99999) { TADDS(v1, v1, 1.0f); }\n"
                                   "    TEXP(v1, v1);\n    wait_flag(PIPE_V, PIPE_MTE3, e);\n  }\n";
  Replayed kernel(vectorKernel(body));
  const Trace &trace = kernel.run();
  CHECK(trace.ending == Ending::Returned);
  REQUIRE(trace.skips.size() == 1);
  CHECK(trace.skips[0].period == 3);
  CHECK(trace.trips.at(0) == std::set<std::uint64_t>{100000});
  CHECK(trace.instances.size() < 50);
  // The last iteration ran for real, with the flag it really has.
  CHECK(issued(trace).substr(issued(trace).size() - 63) ==
        "set PIPE_V>PIPE_MTE3:0 | TADDS | TEXP | wait PIPE_V>PIPE_MTE3:0");
}

TEST_CASE("replay: nothing is skipped where skipping is forbidden") {
  Replayed kernel(vectorKernel(kTile + "  for (int32_t i = 0; i < 50; i += 1) TEXP(v1, v1);\n"));
  CHECK(kernel.run({}, Skipping::Allowed).instances.size() < 51);
  CHECK(kernel.run({}, Skipping::Forbidden).instances.size() == 51); // with the dsb
}

TEST_CASE("replay: a loop without an end stops the run, and is said to be endless") {
  Replayed forever(vectorKernel(kTile + "  for (uint64_t i = 0; i < 1; i += 0) TEXP(v1, v1);\n"));
  CHECK(forever.run().ending == Ending::Endless);
  Replayed silent(vectorKernel("  while (n == n) {}\n"));
  CHECK(silent.run().ending != Ending::Returned);
  Options small;
  small.budget.instructions = 20;
  Replayed changing(vectorKernel(kTile +
                                 "  int32_t a = 1;\n  while (a != 0) { a = a * 3 + 1; if (a % 5 == 2) TEXP(v1, v1); "
                                 "else TADDS(v1, v1, 1.0f); }\n"),
                    small);
  CHECK(changing.run().ending == Ending::Budget);
  CHECK(changing.trace.instances.size() == 21);
}

TEST_CASE("replay: branches on memory contents go both ways, with the seed") {
  Replayed kernel(vectorKernel(kTile + "  __gm__ int32_t *flags = (__gm__ int32_t *) in;\n  int32_t c = flags[0];\n"
                                       "  if (c != 0) { TEXP(v1, v1); }\n"));
  Inputs inputs;
  CHECK(issued(kernel.run(inputs)) == "scalar.load");
  CHECK(kernel.trace.dependsOnMemory);
  inputs.seed = 1;
  CHECK(issued(kernel.run(inputs)) == "scalar.load | TEXP");
}

TEST_CASE("replay: the same inputs give the same run") {
  Replayed kernel(vectorKernel(kTile +
                               "  __gm__ int32_t *c = (__gm__ int32_t *) in;\n  for (int32_t i = 0; i < 9; i += 1)\n"
                               "    if (c[i] > 1) TEXP(v1, v1);\n"));
  Inputs inputs;
  inputs.seed = 4;
  std::string first = issued(kernel.run(inputs));
  CHECK(issued(kernel.run(inputs)) == first);
}
