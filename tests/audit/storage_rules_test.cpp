#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string at(const std::string &address, const std::string &rest = "  TADDS(t, a, 1.0f);\n") {
  return shortTiles(rowsAt("t", 4, address) + rest);
}

const std::string kColumn =
    "  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1, SLayout::NoneBox, 512, PadValue::Null, "
    "CompactMode::Null> q; TASSIGN(q, (uint64_t) 20480);\n";
const std::string kScribble = kColumn + "  pipe_barrier(PIPE_V);\n  TROWEXPANDDIV(c, b, q);\n  pipe_barrier(PIPE_V);\n";

} // namespace

TEST_CASE("space-overflow: by the memory of the architecture, certain only if every address is outside") {
  CHECK(Audited(at("195584")).severity("space-overflow") == "");
  CHECK(Audited(at("195585")).severity("space-overflow") == "error");
  CHECK(Audited(at("195585"), "a5").severity("space-overflow") == "");
  CHECK(Audited(at("n > 2 ? 0 : 200000")).severity("space-overflow") == "warning");
  CHECK(Audited(at("n * 1024")).severity("space-overflow") == ""); // not known
  Audited twice(at("200000", "  TADDS(t, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(b, t, 1.0f);\n"));
  CHECK(twice.count("space-overflow") == 1); // once a tile
  // Of a scratch the library may touch less, and a compact tile is as large as its valid region.
  std::string sum = columnTile("s", "float", 4, 65536) + "  TROWSUM(s, a, t);\n";
  CHECK(Audited(at("195584", sum)).severity("space-overflow") == "");
  CHECK(Audited(at("196000", sum)).severity("space-overflow") == "note"); // the row sum may leave it alone
  std::string select = "  Tile<TileType::Vec, uint8_t, 4, 32> m; TASSIGN(m, 65536);\n  TSEL(b, m, a, c, t);\n";
  CHECK(Audited(at("196000", select)).severity("space-overflow") == "warning");
  CHECK(Audited(at("196000", sum + "  pipe_barrier(PIPE_V);\n  TADDS(t, a, 1.0f);\n")).severity("space-overflow") ==
        "error");
  auto compact = [](const std::string &address) {
    return shortTiles(
        "  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
        "CompactMode::Normal> t; TASSIGN(t, (uint64_t) " +
        address + ");\n  TADDS(t, a, 1.0f);\n");
  };
  CHECK(Audited(compact("195584")).severity("space-overflow") == "note");
  CHECK(Audited(compact("196000")).severity("space-overflow") == "error");
}

TEST_CASE("hidden-scratch-overlap: data that is lost, and tiles that only lie there") {
  std::string define = "  TADDS(t, a, 1.0f);\n", use = "  TADDS(d, t, 1.0f);\n";
  CHECK(Audited(at("188416", define + kScribble + use)).severity("hidden-scratch-overlap") == "error");
  CHECK(Audited(at("188416", define + kScribble)).severity("hidden-scratch-overlap") == "note");
  CHECK(Audited(at("188416", kScribble + define + "  pipe_barrier(PIPE_V);\n" + use))
            .severity("hidden-scratch-overlap") == "note");
  CHECK(Audited(at("65536", define + kScribble + use)).severity("hidden-scratch-overlap") == "");
  CHECK(Audited(at("188416", define + "  pipe_barrier(PIPE_V);\n" + use)).severity("hidden-scratch-overlap") == "");
  CHECK(Audited(at("188416", define + kScribble + use), "a5").severity("hidden-scratch-overlap") == "");
}

TEST_CASE("scratch-alias: the call's own operands, and data read afterwards") {
  auto with = [](const std::string &statements) {
    return Audited(shortTiles(kColumn + statements)).severity("scratch-alias");
  };
  CHECK(with("  TREM(c, a, a, b);\n") == "");
  CHECK(with("  TREM(c, a, a, a);\n") == "warning");
  std::string other = rowsAt("t", 4, "1024");
  CHECK(with(other + "  TREM(c, a, a, b);\n  pipe_barrier(PIPE_V);\n  TADDS(c, t, 1.0f);\n") == "warning");
  CHECK(with(other + "  TREM(c, a, a, b);\n  pipe_barrier(PIPE_V);\n  TADDS(t, c, 1.0f);\n") == "");
  // One repeat a row: on some reading the reduction leaves its scratch alone.
  CHECK(with("  TROWSUM(q, a, a);\n") == "");
}
