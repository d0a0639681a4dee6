#include "synthesis/removals.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

bool moves(const OptimizeResult &result) {
  return std::any_of(result.decisions.begin(), result.decisions.end(),
                     [](const SiteDecision &decision) { return decision.verdict == Verdict::Moved; });
}

} // namespace

TEST_CASE("removals: where flags are moved, what removal alone makes of the file is there too") {
  Module module = lift(readText(corpusPath("moved_flags/kernel.cpp")));
  const Removals removals(module, machineOf("a3"), defaultPatterns(), {});
  CHECK(moves(removals.pruned));
  REQUIRE(removals.unmoved);
  CHECK_FALSE(moves(*removals.unmoved));
  CHECK(removals.unmoved->decisions.size() == removals.pruned.decisions.size());
}

TEST_CASE("removals: where nothing is moved, there is nothing else") {
  Module module = lift(serialLoop());
  const Removals removals(module, machineOf("a3"), defaultPatterns(), {});
  CHECK_FALSE(moves(removals.pruned));
  CHECK_FALSE(removals.unmoved);
}
