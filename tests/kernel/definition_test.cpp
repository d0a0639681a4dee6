#include "kernel/definition.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

std::string problem(std::string_view text) {
  llvm::Expected<Definition> parsed = parseDefinition(text);
  return parsed ? "" : llvm::toString(parsed.takeError());
}

} // namespace

TEST_CASE("a definition is a name, or a name and its value") {
  CHECK(llvm::cantFail(parseDefinition("FAST")) == Definition{"FAST", "1"});
  CHECK(llvm::cantFail(parseDefinition("ROWS=64")) == Definition{"ROWS", "64"});
  CHECK(llvm::cantFail(parseDefinition("EMPTY=")) == Definition{"EMPTY", ""});
  CHECK(llvm::cantFail(parseDefinition("_A1=b == c")) == Definition{"_A1", "b == c"});
}

TEST_CASE("what is none is refused") {
  for (std::string_view text : {"", "=1", "1A", "A B", "A-B=2", "A=1\nB"})
    CHECK(problem(text) == "expected NAME or NAME=VALUE");
  CHECK(problem("F(x)=x").find("parameters") != std::string::npos);
  CHECK(problem("__DAV_VEC__").find("both cores") != std::string::npos);
  CHECK(problem("__DAV_CUBE__=1").find("both cores") != std::string::npos);
}

TEST_CASE("a macro is defined or it is not") {
  auto both = [](std::vector<std::string> defined, std::vector<std::string> undefined) {
    llvm::Expected<std::vector<Definition>> parsed = parseDefinitions(defined, undefined);
    if (!parsed)
      return llvm::toString(parsed.takeError());
    std::string text;
    for (const Definition &definition : *parsed)
      text += definition.name + (definition.value ? "=" + *definition.value : "") + " ";
    return text;
  };
  CHECK(both({"A", "A=2"}, {"B"}) == "A=1 A=2 B ");
  CHECK(both({"A B"}, {}) == "-D A B: expected NAME or NAME=VALUE");
  CHECK(both({}, {"A=1"}) == "-U A=1: expected NAME");
  CHECK(both({}, {"1"}) == "-U 1: expected NAME or NAME=VALUE");
  CHECK(both({"A"}, {"A"}) == "-U A: -D defines it");
}
