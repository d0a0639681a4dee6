// How assumptions are read, and what bounds and which numbers they leave.
#include "kernel/assumption.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

Assumption onlyOf(const std::string &text) {
  std::vector<Assumption> read = llvm::cantFail(readAssumptions(text));
  REQUIRE(read.size() == 1);
  return read.front();
}

std::string unread(const std::string &text) {
  llvm::Expected<std::vector<Assumption>> read = readAssumptions(text);
  return read ? "" : llvm::toString(read.takeError());
}

/// "[0, 47] v5", "[.., -1] v5 - 2 v6".
std::string boundsText(const std::string &text) {
  const Assumption made = onlyOf(text);
  std::string line = "[" + (made.lowest == INT64_MIN ? ".." : std::to_string(made.lowest)) + ", " +
                     (made.highest == INT64_MAX ? ".." : std::to_string(made.highest)) + "]";
  for (const Assumption::Term &term : made.terms)
    line += " " + std::to_string(term.factor) + " " + term.name;
  return line;
}

NumberBounds bounds(const std::string &text, IntegerType type) {
  std::vector<Assumption> all = llvm::cantFail(readAssumptions(text));
  for (Assumption &assumption : all)
    assumption.terms[0].argument = 4;
  Expression number;
  number.kind = Expression::Kind::Parameter;
  number.constant = 4;
  number.type = type;
  return boundsOf(all, number);
}

} // namespace

TEST_CASE("assumption: comparisons of sums become bounds of sums") {
  CHECK(boundsText("v5 >= 0") == "[0, ..] 1 v5");
  CHECK(boundsText("v5 < 48") == "[.., 47] 1 v5");
  CHECK(boundsText("0 < v5") == "[1, ..] 1 v5");
  CHECK(boundsText("v5 == 3") == "[3, 3] 1 v5");
  CHECK(boundsText("2 * v5 + 1 <= 8") == "[.., 3] 1 v5");
  CHECK(boundsText("v5 * -3 < 7") == "[-2, ..] 1 v5");
  CHECK(boundsText("-2 * v5 >= 5") == "[.., -3] 1 v5");
  CHECK(boundsText("v5 + v5 > 5") == "[3, ..] 1 v5");
  CHECK(boundsText("0x10 <= get_block_idx()") == "[16, ..] 1 get_block_idx");
  CHECK(boundsText("v5 < v6") == "[.., -1] 1 v5 -1 v6");
  CHECK(boundsText("v6 - 2 * v5 >= v7 + 3") == "[3, ..] -2 v5 1 v6 -1 v7");
  CHECK(llvm::cantFail(readAssumptions("a>=0&&a<4 && b == 2")).size() == 3);
  CHECK(llvm::cantFail(readAssumptions("a>=0 && a<4"))[1].text == "a<4");
}

TEST_CASE("assumption: what is not read says why") {
  CHECK(unread("v5 >=") == "a number or the name of an argument is missing at the end");
  CHECK(unread("v5 % 4 == 0") == "a comparison by <, <=, ==, >= or > is missing in front of '% 4 == 0'");
  CHECK(unread("v5") == "a comparison by <, <=, ==, >= or > is missing at the end");
  CHECK(unread("v5 * v6 < 3") == "a product of two arguments is not read");
  CHECK(unread("3 < 4") == "a comparison without an argument says nothing of a run");
  CHECK(unread("v5 - v5 < 4") == "a comparison without an argument says nothing of a run");
  CHECK(unread("v5 < 9223372036854775807") == "its numbers are too large");
  CHECK(unread("v5 < 4 * 4611686018427387904") == "its numbers are too large");
  CHECK(unread("0 <= v5 < 48").find("'< 48' is not read") == 0);
  CHECK(unread("v5 >= 0 || v5 < 3").find("'|| v5 < 3' is not read") == 0);
  CHECK_FALSE(unread("").empty());
  CHECK_FALSE(unread("f(3) < 4").empty());
}

TEST_CASE("assumption: the bounds of a number are those of its type as well") {
  CHECK(bounds("v >= 0 && v < 48", kInt32) == NumberBounds{0, 47});
  CHECK(bounds("v >= 0", kInt32) == NumberBounds{0, INT32_MAX});
  CHECK(bounds("v < 5", {8, false}) == NumberBounds{0, 4});
  CHECK(bounds("v > 300", {8, false}).empty());
  CHECK(bounds("v > 3 && v < 2", kInt32).empty());
  // An unsigned number of 64 bits may be what a signed one cannot.
  CHECK(bounds("v >= 5", kAddress) == NumberBounds{});
  CHECK(bounds("v < 5", kAddress) == NumberBounds{0, 4});
}

TEST_CASE("assumption: a broken one is found for concrete numbers") {
  std::vector<Assumption> all = llvm::cantFail(readAssumptions("a < b && b <= 7"));
  auto broken = [&](std::int64_t a, std::int64_t b) {
    const Assumption *found = firstBroken(all, [&](const Assumption::Term &term) { return term.name == "a" ? a : b; });
    return found ? found->text : "";
  };
  CHECK(broken(1, 2).empty());
  CHECK(broken(2, 2) == "a < b");
  CHECK(broken(7, 8) == "b <= 7");
  // Sums of 64-bit numbers do not wrap here.
  CHECK(broken(INT64_MIN, INT64_MAX) == "b <= 7");
  for (Assumption &assumption : all)
    for (Assumption::Term &term : assumption.terms)
      term.type = kAddress;
  CHECK(broken(0, -1) == "b <= 7"); // the largest unsigned number
}
