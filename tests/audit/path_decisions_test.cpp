#include "audit/path_decisions.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Facts of the branches of a kernel, in block order.
std::vector<BranchFacts> branches(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  PathDecisions decisions(*kernel.program);
  std::vector<BranchFacts> list;
  for (BlockId block : kernel.program->graph->order())
    if (decisions.at(block).branches)
      list.push_back(decisions.at(block));
  return list;
}

} // namespace

TEST_CASE("path decisions: arguments are free, and equal conditions have one key") {
  std::vector<BranchFacts> facts = branches("  if (n > 3) {\n  TLOAD(a, g);\n  }\n  if (n > 3) {\n  TLOAD(b, g);\n  "
                                            "}\n  if (n > 4) {\n  TLOAD(c, g);\n  }\n");
  REQUIRE(facts.size() == 3);
  CHECK_FALSE(facts[0].counted);
  CHECK_FALSE(facts[0].key.empty());
  CHECK(facts[0].key == facts[1].key);
  CHECK(facts[0].key != facts[2].key);
  CHECK_FALSE(facts[0].atoms.empty());
  CHECK(facts[0].atoms == facts[2].atoms); // both depend on n
}

TEST_CASE("path decisions: loop tests and conditions on counters") {
  Analysed kernel(shortTiles("  for (int32_t i = 0; i < 100; ++i) {\n  if (i == 40) {\n  TLOAD(a, g);\n  }\n  }\n"));
  PathDecisions decisions(*kernel.program);
  REQUIRE(kernel.program->graph->loops().size() == 1);
  CHECK(decisions.counts(0));
  std::size_t tests = 0, inside = 0;
  for (BlockId block : kernel.program->graph->order()) {
    const BranchFacts &facts = decisions.at(block);
    if (!facts.branches)
      continue;
    CHECK(facts.counted);
    bool leaves = facts.leaves != kNone;
    (leaves ? tests : inside) += 1;
    for (std::uint32_t count : {0u, 1u, 39u, 40u, 41u, 99u, 100u, 101u}) {
      std::optional<bool> outcome = decisions.outcome(block, {count});
      REQUIRE(outcome);
      CHECK(*outcome == (leaves ? count < 100 : count == 40));
    }
  }
  CHECK(tests == 1);
  CHECK(inside == 1);
}

TEST_CASE("path decisions: counts go round in the last iterations") {
  std::uint32_t count = 0;
  for (int i = 0; i < 100; ++i) {
    count = PathDecisions::next(count);
    CHECK(count < PathDecisions::kExact + PathDecisions::kPeriod);
  }
  CHECK(count % PathDecisions::kPeriod == 100 % PathDecisions::kPeriod);
}
