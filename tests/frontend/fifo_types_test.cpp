#include "frontend/frontend.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<FifoTypeUse> find(const std::string &body) {
  return llvm::cantFail(findFifoTypes(SourceText("kernel.cpp", vectorKernel(body)), frontendOptions(machineOf("a3"))));
}

const std::string kTile = "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64> t;\n";

} // namespace

TEST_CASE("fifo types: each spelling with the bytes of its local slot count") {
  std::string body = kTile + "  auto f = TPipe<0, Direction::DIR_C2V, 1024, 8, 4, true>(in, 0, 0);\n" +
                     "  TPOP<TPipe<0, Direction::DIR_C2V, 1024, 8, 4, true>, decltype(t), "
                     "TileSplitAxis::TILE_NO_SPLIT>(f, t);\n  TFREE<decltype(f), TileSplitAxis::TILE_NO_SPLIT>(f);\n";
  std::vector<FifoTypeUse> uses = find(body);
  REQUIRE(uses.size() == 2);
  std::string text = vectorKernel(body);
  for (const FifoTypeUse &use : uses) {
    CHECK(use.type.localSlots == 4);
    CHECK(use.type.slots == 8);
    REQUIRE(use.localSlots);
    CHECK(text.substr(use.localSlots->begin, use.localSlots->end - use.localSlots->begin) == "4");
  }
  CHECK(uses[0].line == kBodyLine + 1);
  CHECK(uses[1].line == kBodyLine + 2);
}

TEST_CASE("fifo types: a count that is not spelled out, or is no number") {
  std::vector<FifoTypeUse> left = find("  auto f = TPipe<0, Direction::DIR_C2V, 1024, 8>(in, 0, 0);\n");
  REQUIRE(left.size() == 1);
  CHECK_FALSE(left[0].localSlots);
  std::vector<FifoTypeUse> named =
      find("  constexpr int slots = 4;\n  auto f = TPipe<0, Direction::DIR_C2V, 1024, 8, slots, true>(in, 0, 0);\n");
  REQUIRE(named.size() == 1);
  CHECK(named[0].type.localSlots == 4);
  CHECK_FALSE(named[0].localSlots);
}
