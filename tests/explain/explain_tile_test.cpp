#include "explain/explain_tile.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

TileExplanation tile(const Explained &kernel, const std::string &name) {
  std::vector<TileExplanation> tiles = kernel.tile(name).tiles;
  if (tiles.size() != 1)
    throw std::runtime_error(std::to_string(tiles.size()) + " tiles");
  return tiles[0];
}

/// "line does name", with "*" for another name.
std::vector<std::string> uses(const TileExplanation &tile) {
  std::vector<std::string> list;
  for (const TileExplanation::Use &use : tile.uses)
    list.push_back(std::to_string(use.place.line) + " " + use.access.does + " " + use.access.name +
                   (use.other ? " *" : ""));
  return list;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("explain tile: its uses in program order, and who else touches the bytes") {
  Explained kernel(
      fourTiles(rowsAt("half", 2, "512") + rowsAt("far", 2, "8192") + // lines 4 to 11
                "  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(half, far, 1.0f);\n  TADDS(a, a, 1.0f);\n"));
  TileExplanation explained = tile(kernel, "a");
  CHECK(explained.storage == Lines{"UB [0, 1024)"});
  CHECK(explained.declared == "Vec float 4 x 64");
  CHECK(explained.others == Lines{"half UB [512, 1024)"});
  CHECK(uses(explained) == Lines{"12 writes a", "13 reads a", "14 writes half *", "15 reads and writes a"});
  CHECK(explained.answer ==
        "Tile a (Vec float 4 x 64) lies at UB [0, 1024); 3 uses by its name, 1 of the same bytes under "
        "another");
  CHECK(mentions(tile(kernel, "far").answer, "1 use by its name, none of the same bytes under another"));
}

TEST_CASE("explain tile: storage that moves, that is not known, and that nobody uses") {
  Explained rotating(fourTiles("  for (int32_t i = 0; i < n; ++i) {\n" + rowsAt("r", 4, "i % 2 == 0 ? 4096 : 8192") +
                               "    TADDS(r, a, 1.0f);\n  }\n"));
  CHECK(tile(rotating, "r").storage == Lines{"UB [4096, 5120) or [8192, 9216)"});
  Explained moving(fourTiles(rowsAt("m", 4, "n * 64") + "  TADDS(m, a, 1.0f);\n"));
  REQUIRE(tile(moving, "m").storage.size() == 1);
  CHECK(mentions(tile(moving, "m").storage[0], "address depends on a kernel argument"));
  CHECK(tile(moving, "m").others == Lines{"a UB [0, 1024)"}); // it may lie there
  CHECK(tile(moving, "d").answer == "Tile d (Vec float 4 x 64) is not used by anything that a path reaches");
}
