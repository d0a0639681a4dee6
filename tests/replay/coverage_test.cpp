#include "replay/coverage.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

TEST_CASE("replay: trip counts, skipped iterations and lines that no run reached") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  for (int32_t i = 0; i < n; i += 1) {\n    TEXP(v1, v1);\n"
                               "    if (n == 77) {\n      TADDS(v1, v1, 1.0f);\n    }\n  }\n"));
  CoverageCollector collector(*kernel.subject);
  collector.add(kernel.runWith(0));
  collector.add(kernel.runWith(60));
  KernelCoverage coverage = collector.finish();
  CHECK(coverage.kernel == "k");
  REQUIRE(coverage.loops.size() == 1);
  CHECK(coverage.loops[0].line == 5);
  CHECK(coverage.loops[0].trips == std::set<std::uint64_t>{0, 60});
  CHECK(coverage.loops[0].skipped > 40);
  CHECK(coverage.neverRun == std::set<std::uint32_t>{8});
  CHECK(coverage.cutAt.empty());
}

TEST_CASE("replay: where a run was cut") {
  Options small;
  small.budget.instructions = 5;
  Replayed kernel(
      vectorKernel(tile("v1", "float", 16, 64, 0) + "  for (int32_t i = 0; i < 9; i += 1)\n    TEXP(v1, v1);\n"),
      small);
  CoverageCollector collector(*kernel.subject);
  collector.add(kernel.run({}, Skipping::Forbidden));
  CHECK(collector.finish().cutAt == std::set<std::uint32_t>{6});
}
