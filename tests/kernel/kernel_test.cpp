#include "kernel/kernel.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

Statement statementAt(std::uint32_t line, std::uint32_t context) {
  Statement statement;
  statement.line = line;
  statement.context = context;
  return statement;
}

} // namespace

TEST_CASE("the place of a statement names every call it was reached through, innermost first") {
  Kernel kernel;
  kernel.contexts.push_back({0, 97, "outer"});
  kernel.contexts.push_back({1, 12, "inner"});
  CHECK(describePlace(kernel, statementAt(40, 0)) == "line 40");
  CHECK(describePlace(kernel, statementAt(40, 1)) == "line 40 (called from line 97)");
  CHECK(describePlace(kernel, statementAt(3, 2)) == "line 3 (called from line 12) (called from line 97)");
}

TEST_CASE("a fresh kernel is analysable, of both sections, and has the context of its own body") {
  Kernel kernel;
  CHECK(kernel.analysable);
  CHECK(kernel.section == Section::Both);
  CHECK(kernel.contexts.size() == 1);
}

TEST_CASE("without a site a kernel has none of its statements and all others") {
  Kernel kernel;
  kernel.blocks.resize(2);
  auto add = [&](BlockId block, SiteId site) {
    Statement statement = statementAt(block + 1, 0);
    Sync sync;
    sync.site = site;
    statement.action = sync;
    kernel.blocks[block].statements.push_back(statement);
  };
  add(0, 4);
  add(0, 7);
  kernel.blocks[0].statements.push_back(statementAt(9, 0));
  add(1, 4); // a helper that is called twice
  add(1, 8);
  Kernel left = withoutSites(kernel, {4});
  CHECK(sitesOf(left) == std::set<SiteId>{7, 8});
  CHECK(left.blocks[0].statements.size() == 2);
  CHECK(left.blocks[1].statements.size() == 1);
  CHECK(sitesOf(kernel) == std::set<SiteId>{4, 7, 8});
}
