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
