#include "ordering/fifo_use.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kType = "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>";
const std::string kFifo = "  auto f = " + kType + "(in, 65536, 0);\n";

std::string bare(const std::string &name) {
  return "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
         "CompactMode::Null> " +
         name + ";\n";
}
std::string pop(const std::string &tile) {
  return "  TPOP<" + kType + ", decltype(" + tile + "), TileSplitAxis::TILE_NO_SPLIT>(f, " + tile + ");\n";
}
const std::string kTiles = rowsAt("a", 4, "0") + bare("t") + bare("u") + kFifo;
std::string use(const std::string &tile) { return "  TADD(a, a, " + tile + ");\n"; }

struct Used {
  explicit Used(const std::string &body)
      : analysed(vectorKernel(kTiles + body)), use(fifoUses(*analysed.program).at(0)) {}
  Analysed analysed;
  FifoUse use;
};

} // namespace

TEST_CASE("fifo use: entries between a pop and the last use of its tile") {
  CHECK(Used(pop("t") + use("t")).use.inUse == 1);
  CHECK(Used(pop("t") + pop("u") + use("t") + use("u")).use.inUse == 2);
  CHECK(Used(pop("t") + use("t") + pop("u") + use("u")).use.inUse == 1);
  CHECK(Used("").use.inUse == 0);
  CHECK_FALSE(Used("").use.popsTiles);
}

TEST_CASE("fifo use: an entry is followed by its address, not by the tile's name") {
  Used reshaped(pop("t") + "  TRESHAPE(u, t);\n" + pop("t") + use("u"));
  CHECK(reshaped.use.inUse == 2);
  // The same tile popped again is another entry.
  CHECK(Used(pop("t") + pop("t") + use("t")).use.inUse == 1);
  // Assigned elsewhere, it is none.
  CHECK(Used(pop("t") + pop("u") + "  TASSIGN(t, (uint64_t) 4096);\n" + use("t")).use.inUse == 1);
}

TEST_CASE("fifo use: paths and loops") {
  Used branch(pop("t") + "  if (n > 3) {\n" + pop("u") + "  }\n" + use("t"));
  CHECK(branch.use.inUse == 2);
  CHECK(branch.use.certainlyInUse == 1);
  Used carried(pop("t") + "  for (int32_t i = 0; i < n; ++i) {\n" + pop("u") + use("t") + "  }\n");
  CHECK_FALSE(carried.use.bounded);
  Used either("  TASSIGN(t, (uint64_t) 4096);\n  if (n > 3) {\n" + pop("t") + "  }\n" + use("t"));
  CHECK(either.use.mixed != nullptr);
}

TEST_CASE("fifo use: where the ring lies") {
  Used used(pop("t") + use("t"));
  CHECK(used.use.ring == std::optional<std::int64_t>(65536));
  CHECK(used.use.location == std::optional<std::string>("Vec"));
  CHECK(used.use.pops.size() == 1);
  CHECK(used.use.touches.size() == 2);
  CHECK(used.use.touches[1].operand == "t");
}

TEST_CASE("fifo use: a part of an entry, and a FIFO that begins again") {
  CHECK(Used(pop("t") + use("t")).use.shifted == nullptr);
  CHECK(Used(pop("t") + "  TRESHAPE(u, t);\n" + use("u")).use.shifted == nullptr);
  std::string part = "  TASSIGN(u, (uint64_t) t.data() + 256);\n";
  CHECK(Used(pop("t") + part + use("u")).use.shifted != nullptr);
  // Each round constructs the FIFO: its pops begin at slot 0, where the entry of the round before lies.
  std::string text =
      vectorKernel(rowsAt("a", 4, "0") + bare("t") + bare("u") + "  for (int32_t i = 0; i < n; ++i) {\n" + kFifo +
                   pop("t") + use("u") + "  TRESHAPE(u, t);\n  }\n");
  Analysed again(text);
  CHECK_FALSE(fifoUses(*again.program).at(0).bounded);
}
