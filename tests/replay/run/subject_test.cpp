#include "replay/run/subject.h"

#include "replay/run/interpreter.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::uint64_t periodOf(const std::string &condition) {
  Module module = lift(vectorKernel("  for (int64_t k = 0; k < n; k += 1) {\n    if (" + condition +
                                    ") {\n      pipe_barrier(PIPE_V);\n    }\n  }\n"));
  return replay::branchPeriodOf(module.kernels.at(0), replay::Constants(module.kernels.at(0)));
}

} // namespace

TEST_CASE("branch period: what a remainder in a condition asks for", "[replay]") {
  CHECK(periodOf("k == 0") == 1);
  CHECK(periodOf("k % 2 == 0") == 2);
  CHECK(periodOf("(int64_t) ((uint64_t) k % (uint64_t) 4) == 0") == 4);
  CHECK(periodOf("(k / 4) % 2 == 0") == 8);
  CHECK(periodOf("((k >> 3) & 1) != 0") == 16);
  CHECK(periodOf("k % 3 == 0 || k % 5 == 0") == 5);
  CHECK(periodOf("k % 17 == 0") == 1);       // beyond the limit
  CHECK(periodOf("(k / 16) % 2 == 0") == 1); // 32
  CHECK(periodOf("k % n == 0") == 1);
}

TEST_CASE("branch period: through variables", "[replay]") {
  Module module = lift(vectorKernel("  for (int64_t k = 0; k < n; k += 1) {\n    int64_t block = k / 4;\n"
                                    "    bool even = block % 2 == 0;\n    if (even) {\n      pipe_barrier(PIPE_V);\n"
                                    "    }\n  }\n"));
  CHECK(replay::branchPeriodOf(module.kernels.at(0), replay::Constants(module.kernels.at(0))) == 8);
}
