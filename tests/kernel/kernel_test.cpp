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

namespace {

Statement statement(std::uint32_t line, std::variant<Assign, ArrayStore, Instruction, Sync> action) {
  Statement result;
  result.line = line;
  result.action = std::move(action);
  return result;
}

Instruction instruction(const std::string &name, const std::vector<std::string> &spellings) {
  Instruction result;
  result.name = name;
  for (const std::string &spelling : spellings) {
    Operand operand;
    operand.spelling = spelling;
    result.operands.push_back(operand);
  }
  return result;
}

} // namespace

TEST_CASE("expressions print with their casts and full parentheses") {
  Kernel kernel;
  kernel.variables = {{"i", kInt32}, {"ids[0]", kInt32}};
  ExpressionArena &arena = kernel.expressions;
  ExpressionId i = arena.variable(0, kInt32), two = arena.constant(2, kInt32);
  ExpressionId remainder = arena.binary(Operator::Remainder, i, two, kInt32);
  CHECK(printExpression(kernel, remainder) == "(i % 2)");
  CHECK(printExpression(kernel, arena.cast(remainder, kAddress)) == "u64((i % 2))");
  CHECK(printExpression(kernel, arena.cast(i, {8, true})) == "i8(i)");
  CHECK(printExpression(kernel, arena.cast(i, kBoolean)) == "bool(i)");
  CHECK(printExpression(kernel, arena.cast(i, {})) == "opaque(i)");
  CHECK(printExpression(kernel, arena.unary(Operator::BitNot, i, kInt32)) == "~i");
  CHECK(printExpression(kernel, arena.select(i, two, i)) == "(i ? 2 : i)");
  CHECK(printExpression(kernel, arena.arrayElement(1, 4, i, kInt32)) == "ids[0]..[i]");
  CHECK(printExpression(kernel, arena.parameter(0, kAddress, "in")) == "in");
  CHECK(printExpression(kernel, arena.query("get_block_idx", kInt64)) == "get_block_idx");
  CHECK(printExpression(kernel, arena.opaque(kInt32)) == "opaque");
}

TEST_CASE("what does not exist prints as a question mark") {
  Kernel kernel;
  CHECK(printExpression(kernel, kNone) == "?");
  CHECK(printExpression(kernel, kernel.expressions.variable(9, kInt32)) == "?");
}

TEST_CASE("instructions print as spelled") {
  CHECK(printInstruction(instruction("TADD", {"v66", "v66", "(v70)"})) == "TADD(v66, v66, (v70))");
  CHECK(printInstruction(instruction("TFREE", {})) == "TFREE()");
}

TEST_CASE("a kernel prints its blocks, statements and terminators") {
  Kernel kernel;
  kernel.name = "k";
  kernel.section = Section::Vec;
  kernel.variables = {{"i", kInt32}, {"ids[0]", kInt32}};
  ExpressionId i = kernel.expressions.variable(0, kInt32), one = kernel.expressions.constant(1, kInt32);
  Sync set{SyncKind::SetFlag, Pipe::V, Pipe::MTE3, i, 0}, wait{SyncKind::WaitFlag, Pipe::V, Pipe::MTE3, one, 1};
  Sync barrier{SyncKind::Barrier, Pipe::V, Pipe::V, kNone, 2}, tail{SyncKind::Tail, Pipe::All, Pipe::All, kNone, 3};
  kernel.blocks.resize(3);
  kernel.blocks[0].statements = {statement(4, Assign{0, one}), statement(5, ArrayStore{1, 4, i, one}),
                                 statement(6, set)};
  kernel.blocks[0].terminator = {Terminator::Kind::Branch, i, 1, 2, 7};
  kernel.blocks[1].statements = {statement(8, wait), statement(9, instruction("TADD", {"a"}))};
  kernel.blocks[1].terminator = {Terminator::Kind::Jump, kNone, 2, kNone, 0};
  kernel.blocks[2].statements = {statement(10, barrier), statement(11, tail)};
  CHECK(printKernel(kernel) == "kernel k (vec)\n"
                               "block 0:\n"
                               "  4: i = 1\n"
                               "  5: ids[0]..[i] = 1\n"
                               "  6: set PIPE_V -> PIPE_MTE3 id i\n"
                               "  if i then 1 else 2\n"
                               "block 1:\n"
                               "  8: wait PIPE_V -> PIPE_MTE3 id 1\n"
                               "  9: TADD(a)\n"
                               "  jump 2\n"
                               "block 2:\n"
                               "  10: barrier PIPE_V\n"
                               "  11: tail PIPE_ALL\n"
                               "  return\n");
}

TEST_CASE("a kernel that was given up prints why") {
  Kernel kernel;
  kernel.name = "k";
  kernel.analysable = false;
  kernel.reason = "line 3: recursive call of f";
  CHECK(printKernel(kernel) == "kernel k (both)\n  not analysable: line 3: recursive call of f\n");
}
