#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Audited audited(int base, const std::string &direction, const std::string &call) {
  return Audited(shortTiles("  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, "
                            "PadValue::Null, CompactMode::Null> t;\n"
                            "  auto f = TPipe<" +
                            std::to_string(base) + ", Direction::" + direction +
                            ", 1024, 8, 2, true>(out, 65536, 0);\n"
                            "  TPOP<decltype(f), decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n"
                            "  TFREE<decltype(f), TileSplitAxis::TILE_NO_SPLIT>(f);\n" +
                            call));
}

} // namespace

TEST_CASE("reserved-id: the flags of a FIFO against those that a call uses itself") {
  for (int base : {10, 11, 13, 14})
    CHECK(audited(base, "DIR_C2V", "  SYNCALL();\n").severity("reserved-id") == "warning");
  for (int base : {0, 8, 9, 15})
    CHECK(audited(base, "DIR_C2V", "  SYNCALL();\n").count("reserved-id") == 0);
  CHECK(audited(8, "DIR_BOTH", "  SYNCALL();\n").severity("reserved-id") == "warning"); // four flags
  CHECK(audited(7, "DIR_BOTH", "  SYNCALL();\n").count("reserved-id") == 0);
}

TEST_CASE("reserved-id: without such a call the numbers are free") {
  CHECK(audited(12, "DIR_C2V", "").count("reserved-id") == 0);
  CHECK(audited(12, "DIR_C2V", "  pipe_barrier(PIPE_ALL);\n").count("reserved-id") == 0);
}
