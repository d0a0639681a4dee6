#include "base/messages.h"

#include <catch2/catch.hpp>

using namespace ptosync;

using Names = std::vector<std::string>;
using Name = std::optional<std::string>;

TEST_CASE("the nearest name within a third of its length", "[base]") {
  CHECK(nearestName("operand", {"instruction", "operands"}) == Name("operands"));
  CHECK(nearestName("PIPE_MTE4", {"PIPE_V", "PIPE_MTE1", "PIPE_MTE2"}) == Name("PIPE_MTE1"));
  CHECK(nearestName("gnu", {"final-div", "gu"}) == Name("gu"));
  CHECK(nearestName("gu", {"gu"}) == Name("gu"));
  CHECK_FALSE(nearestName("banana", {"id", "title"}));
  CHECK_FALSE(nearestName("x", Names()));
}

TEST_CASE("of equals the first", "[base]") {
  CHECK(nearestName("cat", {"bat", "hat"}) == Name("bat"));
  CHECK(nearestName("cat", {"hat", "bat"}) == Name("hat"));
}

TEST_CASE("suggestions for messages", "[base]") {
  CHECK(suggestName("operand", {"operands"}) == "; did you mean 'operands'?");
  CHECK(suggestName("banana", {"tile", "library"}) == "; expected one of 'tile', 'library'");
  CHECK(suggestName("banana", Names()).empty());
}

TEST_CASE("line list: a few numbers, and how many more", "[line_list]") {
  CHECK(lineList({}, 3) == "");
  CHECK(lineList({4}, 3) == "4");
  CHECK(lineList({4, 9}, 3) == "4 and 9");
  CHECK(lineList({4, 9, 12}, 3) == "4, 9 and 12");
  CHECK(lineList({4, 9, 12, 13}, 3) == "4, 9, 12 and 13");
  CHECK(lineList({4, 9, 12, 13, 14}, 3) == "4, 9, 12 and 2 more");
}

namespace {

class FirstError : public TextError<FirstError> {
  using TextError::TextError;
};
class SecondError : public TextError<SecondError> {
  using TextError::TextError;
};

} // namespace

TEST_CASE("an error that is its text says it, and its class tells it apart") {
  llvm::Error first = llvm::make_error<FirstError>("k.cpp:3: no");
  CHECK(first.isA<FirstError>());
  CHECK_FALSE(first.isA<SecondError>());
  CHECK(llvm::toString(std::move(first)) == "k.cpp:3: no");
  CHECK(SecondError("other").convertToErrorCode() == llvm::inconvertibleErrorCode());
}

TEST_CASE("of many names the first are listed") {
  CHECK(firstOf({}, 2) == "");
  CHECK(firstOf({"a", "b"}, 2) == "a, b");
  CHECK(firstOf({"a", "b", "c", "d"}, 2, "; ") == "a; b and 2 more");
}

TEST_CASE("text of the kernel is printed on one line without control bytes") {
  CHECK(printable("  TADD(a,\r\n\t b)\x1b[0m ") == "TADD(a, b) [0m");
  CHECK(printable("\xff caf\xc3\xa9") == "\xff caf\xc3\xa9");
  CHECK(printable("\n") == "");
}

TEST_CASE("of a long text the begin is shown, with whole characters") {
  CHECK(beginOf("TADD", 4) == "TADD");
  CHECK(beginOf("TADDS", 4) == "TADD...");
  CHECK(beginOf("caf\xc3\xa9s", 4) == "caf...");
  CHECK(beginOf("", 0).empty());
}

TEST_CASE("counts agree with their noun") {
  CHECK(countOf(0, "barrier") == "no barriers");
  CHECK(countOf(1, "barrier") == "1 barrier");
  CHECK(countOf(2, "barrier") == "2 barriers");
}

TEST_CASE("lines are ascending, without repeats, and cut off where it helps") {
  CHECK(describeLines({}, 3) == "no line");
  CHECK(describeLines({4}, 3) == "line 4");
  CHECK(describeLines({9, 4, 9}, 3) == "lines 4 and 9");
  CHECK(describeLines({1, 2, 3, 4}, 3) == "lines 1, 2, 3 and 4");
  CHECK(describeLines({1, 2, 3, 4, 5}, 3) == "lines 1, 2, 3 and 2 more");
}

TEST_CASE("bytes that are no UTF-8 are spelled out, each its own way", "[base]") {
  CHECK(validUtf8("k\xc3\xa9.cpp") == "k\xc3\xa9.cpp");
  CHECK(validUtf8("a\xff\xfe.cpp") == "a\\xFF\\xFE.cpp");
  CHECK(validUtf8("\xc3") == "\\xC3");
  CHECK(validUtf8("").empty());
}
