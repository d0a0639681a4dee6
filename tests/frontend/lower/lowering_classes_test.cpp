#include "frontend/lower/lowering.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace ptosync;

namespace {

/// Every class of statement and expression that the Clang in use can make.
std::vector<std::string> classes() {
  std::vector<std::string> names;
#define ABSTRACT_STMT(CLASS)
#define STMT(CLASS, PARENT) names.push_back(#CLASS);
#include <clang/AST/StmtNodes.inc>
  return names;
}

} // namespace

TEST_CASE("every class of statement and expression is decided") {
  REQUIRE(classes().size() > 200);
  for (const std::string &name : classes()) {
    CAPTURE(name);
    CHECK(readingOf(name) != Reading::Undecided);
  }
}

TEST_CASE("a class that nobody has heard of is not decided") {
  CHECK(readingOf("QuantumStmt") == Reading::Undecided);
  CHECK(readingOf("") == Reading::Undecided);
}
