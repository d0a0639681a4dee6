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
