#include "replay/trace.h"

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
