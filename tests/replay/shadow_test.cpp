#include "replay/shadow.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::replay;

namespace {

Extents bytes(std::int64_t address, std::int64_t count, std::int64_t rows = 1, std::int64_t stride = 0) {
  Extents extents;
  extents.space = 0;
  extents.whole = false;
  extents.address = address;
  extents.footprint = {rows, count, stride ? stride : count};
  return extents;
}

} // namespace

TEST_CASE("shadow: who wrote a byte last") {
  Shadow shadow;
  CHECK(shadow.read(bytes(0, 8)) == std::vector<Origins>{{0, 8, kNone, 0}});
  shadow.write(bytes(0, 16), 1);
  shadow.write(bytes(4, 4), 2);
  CHECK(shadow.read(bytes(0, 16)) == std::vector<Origins>{{0, 4, 1, 0}, {4, 4, 2, 0}, {8, 8, 1, 8}});
  CHECK(shadow.read(bytes(6, 4)) == std::vector<Origins>{{0, 2, 2, 2}, {2, 2, 1, 8}});
  CHECK(shadow.read(bytes(12, 8)) == std::vector<Origins>{{0, 4, 1, 12}, {4, 4, kNone, 0}});
}

TEST_CASE("shadow: rows, and places that are not known") {
  Shadow shadow;
  shadow.write(bytes(0, 4, 2, 8), 1); // [0, 4) and [8, 12)
  CHECK(shadow.read(bytes(0, 12)) == std::vector<Origins>{{0, 4, 1, 0}, {4, 4, kNone, 0}, {8, 4, 1, 8}});
  Extents anywhere;
  anywhere.space = 0;
  shadow.write(anywhere, 7);
  REQUIRE(shadow.read(bytes(100, 4)).size() == 1);
  CHECK(shadow.read(bytes(100, 4))[0].writer == 7);
  CHECK(shadow.read(anywhere).empty());
}
