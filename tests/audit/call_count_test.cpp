#include "audit/call_count.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// How often the marked TADDS runs; -1 if that is not one number.
std::int64_t times(const std::string &before, const std::string &after) {
  Analysed analysed(vectorKernel(rowsAt("a", 4, "0") + before + "  TADDS(a, a, 1.0f); // here\n" + after));
  return timesRun(*analysed.program, analysed.program->nodes[analysed.node("// here")].block).value_or(-1);
}

} // namespace

TEST_CASE("call count: loops with known trips multiply") {
  CHECK(times("", "") == 1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n", "  }\n") == 5);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  for (int32_t j = 0; j < 3; ++j) {\n", "  }\n  }\n") == 15);
}

TEST_CASE("call count: what depends on the run is not one number") {
  CHECK(times("  for (int32_t i = 0; i < n; ++i) {\n", "  }\n") == -1);
  CHECK(times("  if (n > 3) {\n", "  }\n") == -1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  if (n > i) {\n", "  }\n  }\n") == -1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  if (n > i) { break; }\n", "  }\n") == -1);
}
