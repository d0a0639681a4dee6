#include "synthesis/statement_tree.h"

#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

/// The paths of the instructions, in the order in which they stand in the blocks.
std::vector<TreePath> paths(const Module &module) {
  const Kernel &kernel = module.kernels.front();
  StatementTree tree = llvm::cantFail(StatementTree::read(kernel));
  std::vector<TreePath> result;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action);
          instruction && instruction->name[0] == 'T')
        result.push_back(tree.pathOf(statement));
  return result;
}

std::string withHelper(const std::string &calls) {
  std::string kernel = vectorKernel(tile("v1", "float", 8, 64, 0) + calls);
  std::string helper = "template <typename Tile> AICORE inline void help(Tile &t) {\n  TADDS(t, t, 1.0f);\n}\n"
                       "template <typename Tile> AICORE inline void other(Tile &t) {\n  TMULS(t, t, 2.0f);\n}\n";
  return kernel.insert(kernel.find("extern"), helper);
}

} // namespace

TEST_CASE("instructions of a loop are one list deeper than the body") {
  Module module = lift(serialLoop());
  std::vector<TreePath> found = paths(module);
  REQUIRE(found.size() == 3);
  for (const TreePath &path : found)
    CHECK(path.size() == 2);
  CHECK(found[0].back().child < found[1].back().child);
}

TEST_CASE("a helper that is called once has a list inside the call, one that is called twice has none") {
  std::vector<TreePath> once = paths(lift(withHelper("  help(v1);\n")));
  REQUIRE(once.size() == 1);
  CHECK(once[0].size() == 2);
  std::vector<TreePath> twice = paths(lift(withHelper("  help(v1);\n  help(v1);\n")));
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].size() == 1);
  CHECK(twice[0] != twice[1]);
}

TEST_CASE("a helper's body is inside its own call, whatever else stands on the line") {
  std::vector<TreePath> lines = paths(lift(withHelper("  help(v1);\n  other(v1);\n")));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0][0].child + 1 == lines[1][0].child);
  CHECK(paths(lift(withHelper("  help(v1); other(v1);\n"))) == lines);
}

TEST_CASE("a body that is not followed is named") {
  Module module =
      lift(vectorKernel(tile("v1", "float", 8, 64, 0) + "  if (n > 0) goto out;\n  TADDS(v1, v1, 1.0f);\nout:\n  ;\n"));
  llvm::Expected<StatementTree> tree = StatementTree::read(module.kernels.front());
  REQUIRE_FALSE(static_cast<bool>(tree));
  CHECK(llvm::toString(tree.takeError()).find("'goto' is not followed") != std::string::npos);
}
