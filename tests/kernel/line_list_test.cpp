#include "kernel/line_list.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("line list: a few numbers, and how many more", "[line_list]") {
  CHECK(lineList({}, 3) == "");
  CHECK(lineList({4}, 3) == "4");
  CHECK(lineList({4, 9}, 3) == "4 and 9");
  CHECK(lineList({4, 9, 12}, 3) == "4, 9 and 12");
  CHECK(lineList({4, 9, 12, 13}, 3) == "4, 9, 12 and 13");
  CHECK(lineList({4, 9, 12, 13, 14}, 3) == "4, 9, 12 and 2 more");
}
