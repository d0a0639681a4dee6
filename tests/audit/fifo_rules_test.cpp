#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string fifo(const std::string &name, unsigned flags, unsigned slotBytes, unsigned slots, unsigned local) {
  return "  auto " + name + " = TPipe<" + std::to_string(flags) + ", Direction::DIR_C2V, " + std::to_string(slotBytes) +
         ", " + std::to_string(slots) + ", " + std::to_string(local) + ", true>(out, 65536, 0);\n";
}
const std::string kTile =
    "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
    "CompactMode::Null> t;\n";
std::string pop(const std::string &name = "f") {
  return "  TPOP<decltype(" + name + "), decltype(t), TileSplitAxis::TILE_NO_SPLIT>(" + name + ", t);\n";
}
std::string release(const std::string &name = "f") {
  return "  TFREE<decltype(" + name + "), TileSplitAxis::TILE_NO_SPLIT>(" + name + ");\n";
}
Audited audited(const std::string &statements) { return Audited(shortTiles(kTile + statements)); }

const std::string kFifo = fifo("f", 0, 1024, 8, 2);

} // namespace

TEST_CASE("fifo-imbalance: pops and frees over paths and loops") {
  CHECK(audited(kFifo + pop() + release()).count("fifo-imbalance") == 0);
  CHECK(audited(kFifo + pop()).count("fifo-imbalance") == 0); // the tile form may need no free: none is counted
  CHECK(audited(kFifo + pop() + release() + pop()).severity("fifo-imbalance") == "warning");
  CHECK(audited(kFifo + pop() + release() + release()).severity("fifo-imbalance") == "warning");
  CHECK(
      audited(kFifo + "  for (int32_t i = 0; i < n; ++i) {\n" + pop() + release() + "  }\n").count("fifo-imbalance") ==
      0);
  CHECK(audited(kFifo + pop() + "  for (int32_t i = 0; i < n; ++i) {\n" + pop() + release() + "  }\n" + release())
            .count("fifo-imbalance") == 0);
  CHECK(audited(kFifo + pop() + "  if (n > 2) {\n" + release() + "  }\n").severity("fifo-imbalance") == "note");
}

TEST_CASE("fifo-depth: tiles in use against local slots") {
  CHECK(audited(kFifo + pop() + pop() + release() + release()).count("fifo-depth") == 0);
  CHECK(audited(kFifo + pop() + pop() + pop() + release() + release() + release()).severity("fifo-depth") == "error");
  CHECK(audited(kFifo + pop() + pop() + "  if (n > 2) {\n" + release() + "  }\n" + pop() + release() + release())
            .severity("fifo-depth") == "note");
}

TEST_CASE("fifo-depth: slots, rings and flags") {
  CHECK(audited(fifo("f", 0, 512, 8, 2) + pop() + release()).severity("fifo-depth") == "error"); // the tile has 1024
  CHECK(audited(fifo("f", 0, 1024, 2, 4) + pop() + release()).severity("fifo-depth") == "error");
  std::string both = pop("f") + release("f") + pop("e") + release("e");
  CHECK(audited(kFifo + fifo("e", 2, 1024, 8, 2) + both).count("fifo-depth") == 0);
  CHECK(audited(kFifo + fifo("e", 1, 1024, 8, 2) + both).severity("fifo-depth") == "warning");
}
