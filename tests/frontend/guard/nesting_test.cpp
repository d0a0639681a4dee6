#include "frontend/guard/nesting.h"
#include "frontend/tokens_of.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string problem(const std::string &text) { return llvm::toString(checkNesting(tokensOf(text))); }

std::string repeated(const std::string &text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

} // namespace

TEST_CASE("nesting: a long statement is refused with its place, many short ones are not") {
  CHECK(problem("x = " + repeated("n + ", kMostTokensOfStatement / 2) + "1;").find("k.cpp:1:") == 0);
  CHECK(problem("x = " + repeated("!", kMostTokensOfStatement) + "n;").find("nests deeper than this tool follows") !=
        std::string::npos);
  CHECK(problem(repeated("x = n + 1;\n", kMostTokensOfStatement)) == "");
  CHECK(problem(repeated("{ x = n; }\n", kMostTokensOfStatement)) == "");
  CHECK(problem("int a[] = {" + repeated("1, ", kMostCommas / 2) + "1};") == "");
  CHECK(problem("x = (" + repeated("n, ", kMostCommas + 1) + "1);").find("commas in a row") != std::string::npos);
  CHECK(problem(repeated("for (;;) ", kMostTokensOfStatement / 5) + "x = 1;") != "");
}

TEST_CASE("nesting: a chain of else counts, many chains do not") {
  std::string link = "if (n) { x = 1; } else ";
  CHECK(problem(repeated(link, kMostElses) + "{ }") == "");
  CHECK(problem(repeated(link, kMostElses + 1) + "{ }").find("`else` in a chain") != std::string::npos);
  CHECK(problem(repeated(link + "{ x = 2; }\n", kMostElses + 1)) == "");
  CHECK(problem(repeated("if (n) x = 1; else ", kMostElses + 1) + "x = 2;") != "");
}

TEST_CASE("deep stack: the work is done, and may go deep") {
  struct Deep {
    static std::size_t go(std::size_t depth) {
      volatile char frame[1024] = {};
      frame[depth % 1024] = 1;
      return depth == 0 ? 0 : go(depth - 1) + static_cast<std::size_t>(frame[depth % 1024]);
    }
  };
  std::size_t reached = 0;
  runOnDeepStack([&] { reached = Deep::go(40000); });
  CHECK(reached == 40000);
  // Asked for again, it is not left, or another is as deep.
  reached = 0;
  runOnDeepStack([&] { runOnDeepStack([&] { reached = Deep::go(40000); }); });
  CHECK(reached == 40000);
}
