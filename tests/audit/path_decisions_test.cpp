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

TEST_CASE("path decisions: branches that the phases of their loop decide are left to the program's steps") {
  Analysed kernel(shortTiles("  for (int32_t i = 0; i < 4; ++i) {\n  if (i == 2) {\n  TLOAD(a, g);\n  }\n  }\n"));
  PathDecisions decisions(*kernel.program);
  REQUIRE(kernel.program->graph->loops().size() == 1);
  CHECK_FALSE(decisions.counts(0));
  std::size_t branches = 0;
  for (BlockId block : kernel.program->graph->order()) {
    if (!decisions.at(block).branches)
      continue;
    ++branches;
    for (std::uint32_t count = 0; count < 6; ++count)
      CHECK_FALSE(decisions.outcome(block, {count}));
  }
  CHECK(branches == 2);
}

TEST_CASE("path decisions: counts go round in the last iterations") {
  std::uint32_t count = 0;
  for (int i = 0; i < 100; ++i) {
    count = PathDecisions::next(count);
    CHECK(count < PathDecisions::kExact + PathDecisions::kPeriod);
  }
  CHECK(count % PathDecisions::kPeriod == 100 % PathDecisions::kPeriod);
}
