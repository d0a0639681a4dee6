#include "replay/relayout.h"

#include "ordering/analysis.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

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

namespace {

std::string type(unsigned local) {
  return "TPipe<0, Direction::DIR_C2V, 1024, 8, " + std::to_string(local) + ", true>";
}
std::string bare(const std::string &name) {
  return "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
         "CompactMode::Null> " +
         name + ";\n";
}
std::string pop(unsigned local, const std::string &tile) {
  return "  TPOP<" + type(local) + ", decltype(" + tile + "), TileSplitAxis::TILE_NO_SPLIT>(f, " + tile + ");\n";
}
const std::string kLoaded = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";

/// Two entries popped before either is used.
std::string two(unsigned local) {
  return vectorKernel(rowsAt("a", 4, "0") + bare("t") + bare("u") + "  auto f = " + type(local) + "(in, 65536, 0);\n" +
                      pop(local, "t") + pop(local, "u") + kLoaded + "  TADD(a, t, u);\n");
}

/// One entry at a time, with or without the flag that holds the next pop back.
std::string loop(unsigned local, bool back) {
  auto flag = [&](const char *call) {
    return back ? std::string("  ") + call + "(PIPE_V, PIPE_MTE2, EVENT_ID0);\n" : "";
  };
  return vectorKernel(rowsAt("a", 4, "0") + "  auto f = " + type(local) + "(in, 65536, 0);\n" + flag("set_flag") +
                      "  for (int32_t i = 0; i < n; ++i) {\n" + bare("t") + flag("wait_flag") + pop(local, "t") +
                      kLoaded + "  pipe_barrier(PIPE_V);\n  TADD(a, a, t);\n" + flag("set_flag") + "  }\n" +
                      flag("wait_flag"));
}

replay::Relayout compare(const std::string &before, const std::string &after) {
  return llvm::cantFail(replay::verifyRelayout(lift(before), lift(after), machineOf("a3"), replay::Options{}));
}

} // namespace

TEST_CASE("relayout: entries that are in use at once need a slot each") {
  replay::Relayout right = compare(two(8), two(2));
  CHECK(right.findings.empty());
  CHECK(right.moved > 0);
  CHECK(right.runs > 0);
  replay::Relayout wrong = compare(two(8), two(1));
  REQUIRE_FALSE(wrong.findings.empty());
  CHECK(wrong.findings[0].text.find("reads what line") != std::string::npos);
}

TEST_CASE("relayout: a pop must not overtake the last use of the entry it overwrites") {
  CHECK(compare(loop(8, true), loop(1, true)).findings.empty());
  replay::Relayout open = compare(loop(8, false), loop(2, false));
  REQUIRE_FALSE(open.findings.empty());
  CHECK(open.findings[0].text.find("WAR on UB") != std::string::npos);
}

TEST_CASE("relayout: other instructions are another kernel") {
  CHECK_FALSE(compare(loop(8, true), loop(2, false)).findings.empty());
  CHECK_FALSE(compare(two(8), loop(2, true)).findings.empty());
}

TEST_CASE("relayout: what lay in the old ring is nothing to go by") {
  std::string other = rowsAt("z", 4, "69632"); // the fifth slot of eight
  auto crowded = [&](unsigned local) {
    std::string text = loop(local, true);
    std::string start = "  auto f";
    text.replace(text.find(start), start.size(), other + "  TEXPANDS(z, 2.0f);\n" + start);
    std::string sum = "  TADD(a, a, t);\n";
    return text.replace(text.find(sum), sum.size(), "  TMUL(t, t, z);\n  pipe_barrier(PIPE_V);\n" + sum);
  };
  CHECK(compare(crowded(8), crowded(2)).findings.empty());
  CHECK_FALSE(compare(crowded(2), crowded(8)).findings.empty());
}
