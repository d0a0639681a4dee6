#include "audit/audited.h"
#include "audit/storage_rules.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Lines of the first readers of what the instruction at `// from` writes (its first operand), as marks' lines.
std::vector<unsigned> readers(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  NodeId from = kernel.node("// from");
  std::vector<unsigned> lines;
  for (std::uint32_t i = 0; i < kernel.program->nodes[from].accesses.size(); ++i)
    if (kernel.program->nodes[from].accesses[i].writes)
      for (const Touch &touch : firstReaders(*kernel.program, kernel.hazards(), from, i))
        lines.push_back(kernel.program->nodes[touch.node].statement->line - kernel.line("// from"));
  std::sort(lines.begin(), lines.end());
  return lines;
}

using Lines = std::vector<unsigned>;
const std::string kFrom = "  TADDS(b, a, 1.0f); // from\n";

} // namespace

TEST_CASE("first touch: the nearest reader on each path, and no further than a writer") {
  CHECK(readers(kFrom + "  TADDS(c, b, 1.0f);\n  TADDS(d, b, 1.0f);\n") == Lines{1});
  CHECK(readers(kFrom + "  TADDS(b, c, 1.0f);\n  TADDS(d, b, 1.0f);\n").empty());
  CHECK(readers(kFrom + "  TADDS(d, c, 1.0f);\n").empty());
  CHECK(readers(kFrom + "  if (n > 2) {\n  TADDS(c, b, 1.0f);\n  } else {\n  TADDS(d, b, 1.0f);\n  }\n") ==
        Lines{2, 4});
}

TEST_CASE("first touch: round a loop, and nothing behind an unknown call") {
  CHECK(readers("  for (int32_t i = 0; i < n; ++i) {\n  TADDS(c, b, 1.0f);\n" + kFrom + "  }\n").size() == 1);
  CHECK(readers(kFrom + "  unknown_call(b);\n  TADDS(c, b, 1.0f);\n").empty());
}

namespace {

/// x and y share bytes; the mark is on the sync between their uses.
std::string shared(const std::string &sync, const std::string &reader) {
  return shortTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + "  TADDS(d, x, 1.0f);\n" + sync +
                    "  TADDS(y, a, 1.0f); // writer\n  pipe_barrier(PIPE_ALL);\n  TADDS(b, " + reader + ", 1.0f);\n");
}

VariableId addressOf(const Analysed &kernel, const std::string &name) {
  for (const Tile &tile : kernel.module.kernels[0].tiles)
    if (tile.name == name)
      return tile.address;
  throw std::runtime_error("no tile " + name);
}

} // namespace

TEST_CASE("separate storage: a barrier that is there for the sharing alone would go") {
  Analysed kernel(shared("  pipe_barrier(PIPE_V); // sync\n", "y"));
  const Kernel &lifted = kernel.module.kernels[0];
  std::set<SiteId> sites = {kernel.site("// sync")};
  CHECK(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "y")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "b")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {}));
}

TEST_CASE("separate storage: so would a web of flags, taken out as a whole") {
  Analysed kernel(
      shared("  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // set\n"
             "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // wait\n  TLOAD(y, g);\n  pipe_barrier(PIPE_ALL);\n",
             "y"));
  const Kernel &lifted = kernel.module.kernels[0];
  std::set<SiteId> sites = {kernel.site("// set"), kernel.site("// wait")};
  CHECK(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "y")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {}));
}

TEST_CASE("separate storage: a tile qualifies that is read through its own name alone") {
  auto qualifies = [](const std::string &reader) {
    Analysed kernel(shared("  pipe_barrier(PIPE_V);\n", reader));
    return readByItsNameOnly(*kernel.program, kernel.hazards(), kernel.node("// writer"), 0);
  };
  CHECK(qualifies("y"));
  CHECK_FALSE(qualifies("x")); // the sharing is the point
  CHECK_FALSE(qualifies("c")); // nobody reads it
}

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

namespace {

const std::string kOut = setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3");

/// t lies at `address`; a is read, then t is written behind a barrier, then `rest`.
Audited reuse(const std::string &address, const std::string &rest, const std::string &source = "c") {
  return Audited(shortTiles(rowsAt("t", 4, address) +
                            "  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n  TADDS(t, " + source +
                            ", 2.0f);\n" + kOut + rest));
}

} // namespace

TEST_CASE("serialising-alias: both buffers by name, and what it would cost") {
  Audited found = reuse("0", "  TSTORE(h, t);\n");
  const Finding &finding = found.only("serialising-alias");
  CHECK(finding.place.line == lineOf(found.text, "// barrier"));
  CHECK(finding.message.find("t shares storage with a") != std::string::npos);
  CHECK(finding.message.find("1024 bytes of UB") != std::string::npos);
}

TEST_CASE("serialising-alias: silent where the sharing is the point, or something else needs the barrier") {
  CHECK(reuse("0", "  TSTORE(h, a);\n").count("serialising-alias") == 0);      // read through the other name
  CHECK(reuse("0", "  TSTORE(h, t);\n", "b").count("serialising-alias") == 0); // b is read: a true dependence
  CHECK(reuse("8192", "  TSTORE(h, t);\n").count("serialising-alias") == 0);   // storage of its own: removable
}
