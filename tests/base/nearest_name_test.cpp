#include "base/nearest_name.h"

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
