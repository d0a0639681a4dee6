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

TEST_CASE("a statement tells what it reads and what it writes, whichever kind it is") {
  ExpressionArena arena;
  const ExpressionId one = arena.constant(1, kAddress), two = arena.constant(2, kAddress);
  auto readBy = [](auto action) {
    Statement statement;
    statement.action = std::move(action);
    std::vector<ExpressionId> values;
    forEachValue(statement, [&](ExpressionId value) { values.push_back(value); });
    return values;
  };
  auto writtenBy = [](auto action) {
    Statement statement;
    statement.action = std::move(action);
    std::vector<std::pair<VariableId, ExpressionId>> written;
    forEachDefinition(statement,
                      [&](VariableId variable, ExpressionId value) { written.emplace_back(variable, value); });
    return written;
  };
  using Written = std::vector<std::pair<VariableId, ExpressionId>>;
  CHECK(readBy(Assign{3, one}) == std::vector{one});
  CHECK(writtenBy(Assign{3, one}) == Written{{3, one}});
  CHECK(readBy(ArrayStore{4, 2, one, two}) == std::vector{one, two});
  CHECK(writtenBy(ArrayStore{4, 2, one, two}) == Written{{4, kNone}, {5, kNone}}); // whichever of the two it is
  Instruction instruction;
  instruction.operands.resize(2); // a tile has no value
  instruction.operands[1].value = two;
  instruction.results = {7};
  CHECK(readBy(instruction) == std::vector{two});
  CHECK(writtenBy(instruction) == Written{{7, kNone}});
  Sync sync;
  CHECK(readBy(sync).empty()); // a barrier has no event
  sync.event = one;
  CHECK(readBy(sync) == std::vector{one});
  CHECK(writtenBy(sync).empty());
}

TEST_CASE("the pointer arguments of a kernel are those that its text uses, each once") {
  Kernel kernel;
  kernel.expressions.pointerParameter(4, "out");
  kernel.expressions.parameter(2, kAddress, "count");
  kernel.expressions.pointerParameter(1, "in");
  kernel.expressions.pointerParameter(4, "out");
  CHECK(pointerArguments(kernel) == std::set<std::uint32_t>{1, 4});
}
