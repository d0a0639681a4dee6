#include "ordering/hazard.h"

#include "optimize/pins.h"
#include "ordering/analysis.h"

#include <catch2/catch.hpp>

#include <set>
#include <tuple>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// What the model says about the instruction on line "first" and the later one on line "second".
struct Finding {
  std::string kind = "none"; // of the conflict
  Excuse excuse = Excuse::None;
  std::string rule;
  std::string storage;
};

Finding verdict(const std::string &body, const std::string &arch = "a3", const OrderingOptions &options = {},
                std::uint32_t distance = 0) {
  Analysed kernel(vectorKernel(body), arch, options);
  const Program &program = *kernel.program;
  const Node &first = program.nodes[kernel.node("// first")];
  std::uint32_t bit = distance ? program.bitAt(first, first.loop, distance) : first.firstBit;
  NodeId second = kernel.node("// second");
  Finding result;
  std::optional<ConflictPair> pair = kernel.hazards().conflict(bit, second);
  if (!pair)
    return result;
  CHECK(kernel.hazards().candidates(second).contains(bit)); // a superset of all conflicts
  Conflict conflict = kernel.hazards().describe(*pair);
  result.kind = hazardKindName(conflict.kind);
  result.storage = conflict.storage;
  result.excuse = kernel.hazards().excuse(bit, second, &result.rule);
  return result;
}

std::string tiles(unsigned rows) {
  return rowsAt("a", rows, "0") + rowsAt("b", rows, "8192") + rowsAt("c", rows, "16384") + rowsAt("d", rows, "24576");
}

/// Excuse for the pair on tiles of so many rows.
Excuse excuseOf(const std::string &body, const std::string &arch = "a3", const OrderingOptions &options = {}) {
  return verdict(body, arch, options).excuse;
}

} // namespace

TEST_CASE("hazard: a pair that certainly meets", "[hazard]") {
  auto certain = [](const std::string &address) {
    Analysed kernel(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "8192") + rowsAt("t", 4, address) +
                                 "  TADDS(b, a, 1.0f); // first\n  TADDS(a, t, 1.0f); // second\n"));
    std::optional<ConflictPair> pair = kernel.hazards().conflict(kernel.bit("// first"), kernel.node("// second"));
    REQUIRE(pair);
    return kernel.hazards().certainlyMeets(*pair);
  };
  CHECK(certain("8192"));
  CHECK_FALSE(certain("n * 64")); // the read of t may meet, and that is what is described
}

TEST_CASE("hazard: kinds", "[hazard]") {
  auto kind = [](const std::string &first, const std::string &second) {
    return verdict(tiles(4) + "  " + first + "; // first\n  " + second + "; // second\n").kind;
  };
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(c, a, 1.0f)") == "RAW");
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(b, c, 1.0f)") == "WAR");
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(a, c, 1.0f)") == "WAW");
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(c, b, 1.0f)") == "none"); // read and read
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(b, a, 1.0f)") == "RAW");  // the true dependence is named first
  CHECK(kind("TADDS(a, b, 1.0f)", "TADDS(c, d, 1.0f)") == "none");
  CHECK(kind("TADDS(a, a, 1.0f)", "TEXPANDS(a, 1.0f)") == "WAR"); // both, and this one is named
}

TEST_CASE("hazard: partial overlap is overlap", "[hazard]") {
  std::string overlapping = rowsAt("a", 4, "0") + rowsAt("b", 4, "992") + rowsAt("c", 4, "1024");
  CHECK(verdict(overlapping + "  TEXPANDS(a, 1.0f); // first\n  TEXP(b, b); // second\n").kind == "RAW");
  CHECK(verdict(overlapping + "  TEXPANDS(a, 1.0f); // first\n  TEXP(c, c); // second\n").kind == "none"); // touches
  CHECK(verdict(overlapping + "  TEXPANDS(a, 1.0f); // first\n  TEXP(b, b); // second\n").storage == "UB [992, 2016)");
}

TEST_CASE("hazard: the chain rule covers a long result and its exact reader", "[hazard][chain]") {
  Finding v = verdict(tiles(16) + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n");
  CHECK(v.kind == "RAW");
  CHECK(v.excuse == Excuse::Justified);
  CHECK(v.rule == "same-access-chain");
  // In place: the accompanying WAR and WAW are on that same access.
  CHECK(excuseOf(tiles(16) + "  TADDS(a, a, 1.0f); // first\n  TADDS(a, a, 1.0f); // second\n") == Excuse::Justified);
  // By another name.
  CHECK(excuseOf(tiles(16) + rowsAt("e", 16, "0") +
                 "  TADDS(a, b, 1.0f); // first\n  TADDS(c, e, 1.0f); // second\n") == Excuse::Justified);
  // One row is contiguous whatever the tile's width.
  CHECK(excuseOf(tileIn("Vec", "a", "float", "1, 2048", "1, 1024", "0") + rowsAt("b", 16, "16384") +
                 "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::Justified);
}

TEST_CASE("hazard: the chain rule, each condition broken in turn", "[hazard][chain]") {
  SECTION("15 repeats") {
    CHECK(excuseOf(tiles(15) + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n") == Excuse::None);
  }
  SECTION("15 repeats and one element are 16") {
    std::string flat = tileIn("Vec", "a", "float", "1, 1024", "1, 961", "0") + rowsAt("c", 16, "16384");
    CHECK(excuseOf(flat + "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::Justified);
    std::string shorter = tileIn("Vec", "a", "float", "1, 1024", "1, 960", "0") + rowsAt("c", 16, "16384");
    CHECK(excuseOf(shorter + "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::None);
  }
  SECTION("half-width elements need twice as many") {
    std::string half = tileIn("Vec", "a", "half", "16, 64", "16, 64", "0");
    CHECK(excuseOf(half + "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::None);
    std::string wide = tileIn("Vec", "a", "half", "32, 64", "32, 64", "0");
    CHECK(excuseOf(wide + "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::Justified);
  }
  SECTION("another valid shape of the same bytes") {
    std::string reshaped = tiles(16) + tileIn("Vec", "e", "float", "8, 128", "8, 128", "0");
    CHECK(excuseOf(reshaped + "  TADDS(a, b, 1.0f); // first\n  TEXP(e, e); // second\n") == Excuse::None);
  }
  SECTION("fewer valid rows") {
    std::string fewer = tiles(32) + tileIn("Vec", "e", "float", "32, 64", "31, 64", "0");
    CHECK(excuseOf(fewer + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, e, 1.0f); // second\n") == Excuse::None);
    CHECK(excuseOf(fewer + "  TEXP(e, b); // first\n  TADDS(c, a, 1.0f); // second\n") == Excuse::None);
  }
  SECTION("another start") {
    std::string shifted = tiles(16) + rowsAt("e", 16, "32");
    CHECK(excuseOf(shifted + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, e, 1.0f); // second\n") == Excuse::None);
  }
  SECTION("rows with gaps") {
    std::string gaps = tileIn("Vec", "a", "float", "32, 128", "32, 64", "0") +
                       tileIn("Vec", "c", "float", "32, 128", "32, 64", "32768");
    CHECK(excuseOf(gaps + "  TEXPANDS(a, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n") == Excuse::None);
  }
  SECTION("the reader's scratch") {
    std::string body = tiles(16) + columnTile("s", "float", 16, 40960) +
                       "  TEXPANDS(a, 1.0f); // first\n  TROWSUM(s, b, a); // second\n";
    CHECK(verdict(body).kind != "none");
    CHECK(excuseOf(body) == Excuse::None);
  }
  SECTION("the writer's scratch") {
    std::string body = tiles(16) + columnTile("s", "float", 16, 40960) +
                       "  TROWSUM(s, b, a); // first\n  TADDS(c, a, 1.0f); // second\n";
    CHECK(verdict(body).kind == "RAW");
    CHECK(excuseOf(body) == Excuse::None);
  }
  SECTION("exact, and the scratch on top") {
    std::string body = tiles(16) + columnTile("s", "float", 16, 40960) +
                       "  TADDS(a, b, 1.0f); // first\n  TROWSUM(s, a, b); // second\n"; // WAR on b, as scratch
    CHECK(excuseOf(body) == Excuse::None);
  }
  SECTION("WAR only, WAW only") {
    CHECK(excuseOf(tiles(16) + "  TADDS(a, b, 1.0f); // first\n  TADDS(b, c, 1.0f); // second\n") == Excuse::None);
    CHECK(excuseOf(tiles(16) + "  TADDS(a, b, 1.0f); // first\n  TADDS(a, c, 1.0f); // second\n") == Excuse::None);
  }
  SECTION("a second conflict on other bytes") {
    CHECK(excuseOf(tiles(16) + "  TADD(a, b, c); // first\n  TADD(b, a, d); // second\n") == Excuse::None);
    CHECK(excuseOf(tiles(16) + "  TADD(a, b, c); // first\n  TADD(d, b, a); // second\n") == Excuse::Justified); // none
  }
  SECTION("a second conflict that the exact one hides") {
    // The later reads a exactly and also a tile that only overlaps it.
    std::string body = tiles(16) + rowsAt("e", 16, "2048");
    CHECK(excuseOf(body + "  TADDS(a, b, 1.0f); // first\n  TADD(c, a, e); // second\n") == Excuse::None);
    CHECK(excuseOf(body + "  TADDS(a, b, 1.0f); // first\n  TADD(c, e, a); // second\n") == Excuse::None);
  }
  SECTION("a valid region known at run time") {
    std::string dynamic = tileIn("Vec", "a", "float", "32, 64", "-1, 64", "0", "BLayout::RowMajor", "SLayout::NoneBox",
                                 "(n < 32 ? n : 32)") +
                          rowsAt("c", 32, "16384");
    CHECK(excuseOf(dynamic + "  TEXPANDS(a, 1.0f); // first\n  TEXP(a, a); // second\n") == Excuse::None);
  }
  SECTION("another pipe") {
    std::string body = tiles(16) + tensorAt("g", "in");
    CHECK(verdict(body + "  TLOAD(a, g); // first\n  TEXP(c, a); // second\n").kind == "RAW");
    CHECK(excuseOf(body + "  TLOAD(a, g); // first\n  TEXP(c, a); // second\n") == Excuse::None);
    CHECK(excuseOf(body + "  TEXP(a, c); // first\n  TSTORE(g, a); // second\n") == Excuse::None);
  }
  SECTION("an earlier iteration") {
    std::string body = tiles(16) + "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(c, a, 1.0f); // second\n"
                                   "    TADDS(a, b, 1.0f); // first\n  }\n";
    CHECK(verdict(body, "a3", {}, 1).kind == "RAW");
    CHECK(verdict(body, "a3", {}, 1).excuse == Excuse::None);
    CHECK(verdict(body, "a3", {}, 2).excuse == Excuse::None);
  }
  SECTION("a base that is one of two") {
    std::string body = tiles(16) + rowsAt("e", 16, "n > 3 ? 0 : 8192") +
                       "  TADDS(e, c, 1.0f); // first\n  TADDS(d, a, 1.0f); // second\n";
    CHECK(verdict(body).kind == "RAW");
    CHECK(excuseOf(body) == Excuse::None);
  }
}

TEST_CASE("hazard: a5 keeps vector instructions in order unless told otherwise", "[hazard]") {
  std::string pair = tiles(4) + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n";
  Finding v = verdict(pair, "a5");
  CHECK(v.kind == "RAW");
  CHECK(v.excuse == Excuse::Justified);
  CHECK(v.rule == "vector-order");
  OrderingOptions off;
  off.vectorOrder = false;
  CHECK(excuseOf(pair, "a5", off) == Excuse::None);
  CHECK(excuseOf(pair, "a3") == Excuse::None); // a3 has no such rule
  // It has no chain rule either.
  CHECK(excuseOf(tiles(16) + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n", "a5", off) ==
        Excuse::None);
  // Between pipes it says nothing.
  std::string across = tiles(4) + tensorAt("g", "out");
  CHECK(excuseOf(across + "  TEXP(a, c); // first\n  TSTORE(g, a); // second\n", "a5") == Excuse::None);
  CHECK(excuseOf(across + "  TLOAD(a, g); // first\n  TEXP(c, a); // second\n", "a5") == Excuse::None);
  // Round a loop it holds: it is about the pipe, not about a distance.
  std::string loop = tiles(4) + "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(c, a, 1.0f); // second\n"
                                "    TADDS(a, b, 1.0f); // first\n  }\n";
  CHECK(verdict(loop, "a5", {}, 1).excuse == Excuse::Justified);
}

TEST_CASE("hazard: accumulation on one tile is silenced, and relied on only by option", "[hazard]") {
  // Of inputs that the better fact does not speak of.
  std::string body =
      productTiles(16, 16, "int8_t") + "  TMATMUL(C, L, R); // first\n  TMATMUL_ACC(C, C, L, R); // second\n";
  Finding v = verdict(body);
  CHECK(v.kind == "RAW");
  CHECK(v.excuse == Excuse::Silenced);
  CHECK(v.rule == "m-accumulate-order");
  OrderingOptions relied;
  relied.accumulateOrder = true;
  CHECK(excuseOf(body, "a3", relied) == Excuse::Justified);
  // One addition after another, with the sum as operand of its own or not.
  for (const char *add : {"TMATMUL_ACC(C, C, L, R);", "TMATMUL_ACC(C, L, R);"}) {
    std::string chain = productTiles(16, 16, "int8_t") + "  " + add + " // first\n  " + add + " // second\n";
    CHECK(verdict(chain).excuse == Excuse::Silenced);
    CHECK(excuseOf(chain, "a3", relied) == Excuse::Justified);
  }
  // Starting anew overwrites: no accumulation.
  CHECK(excuseOf(matrixTiles() + "  TMATMUL_ACC(c, c, l, r); // first\n  TMATMUL(c, l, r); // second\n", "a3",
                 relied) == Excuse::None);
  // Another accumulator that overlaps.
  std::string other =
      matrixTiles() + tileIn("Acc", "e", "float", "32, 16", "32, 16", "0", "BLayout::ColMajor", "SLayout::RowMajor");
  CHECK(excuseOf(other + "  TMATMUL(c, l, r); // first\n  TMATMUL_ACC(e, e, l, r); // second\n", "a3", relied) ==
        Excuse::None);
  // Where nothing says that small ones are out of order the audit is silent, and nothing is built on it.
  CHECK(excuseOf(other + "  TMATMUL(c, l, r); // first\n  TMATMUL_ACC(e, e, l, r); // second\n", "a5", relied) ==
        Excuse::Silenced);
  // The product of one read as the start of another.
  CHECK(verdict(matrixTiles() + "  TMATMUL(c, l, r); // first\n  TMATMUL_ACC(d, d, l, r); // second\n").kind == "none");
}

TEST_CASE("hazard: accumulation of ten fractals of 16-bit inputs is in order, of fewer it is not", "[hazard]") {
  const std::string pair = "  TMATMUL(C, L, R); // first\n  TMATMUL_ACC(C, C, L, R); // second\n";
  Finding large = verdict(productTiles(80, 32) + pair);
  CHECK(large.excuse == Excuse::Justified);
  CHECK(large.rule == "m-accumulate-fractals");
  CHECK(excuseOf(productTiles(16, 160) + pair) == Excuse::Justified);
  CHECK(excuseOf(productTiles(144, 16) + pair) == Excuse::None); // nine
  CHECK(excuseOf(productTiles(16, 64) + pair) == Excuse::None);
  // Other inputs: nothing is claimed, and the contested rule goes on silencing.
  CHECK(excuseOf(productTiles(80, 32, "float") + pair) == Excuse::Silenced);
  CHECK(excuseOf(productTiles(16, 16, "float") + pair) == Excuse::Silenced);
  // On a5 the lower part is not established.
  CHECK(excuseOf(productTiles(80, 32) + pair, "a5") == Excuse::Justified);
  CHECK(excuseOf(productTiles(16, 64) + pair, "a5") == Excuse::Silenced);
  // The option relies on the order whatever the size.
  OrderingOptions relied;
  relied.accumulateOrder = true;
  CHECK(excuseOf(productTiles(16, 64) + pair, "a3", relied) == Excuse::Justified);
  // A region known at run time only has no size.
  std::string dynamic = productTiles(80, 32) + tileIn("Left", "D", "half", "80, 16", "-1, 16", "0", "BLayout::RowMajor",
                                                      "SLayout::RowMajor", "(n < 80 ? n : 80)");
  CHECK(excuseOf(dynamic + "  TMATMUL(C, D, R); // first\n  TMATMUL_ACC(C, C, D, R); // second\n") == Excuse::Silenced);
  // Starting anew is no accumulation.
  CHECK(excuseOf(productTiles(80, 32) + "  TMATMUL_ACC(C, C, L, R); // first\n  TMATMUL(C, L, R); // second\n") ==
        Excuse::None);
}

TEST_CASE("hazard: a chain needs the distance, not only the length", "[hazard][chain]") {
  // Four rows of four repeats: sixteen repeats, but the broadcast goes down the columns.
  auto wide = [](unsigned rows) {
    std::string shape = std::to_string(rows) + ", 256";
    return tileIn("Vec", "a", "float", shape, shape, "0") + tileIn("Vec", "b", "float", shape, shape, "65536") +
           columnTile("s", "float", 16, 131072) + columnTile("t", "float", 16, 135168) +
           tileIn("Vec", "m", "float", "16, 64", "16, 64", "139264");
  };
  OrderingOptions assembler;
  assembler.assemblerChain = true;
  Finding close = verdict(wide(4) + "  TADDS(a, a, 1.0f); // first\n  TROWEXPANDSUB(a, a, s); // second\n");
  CHECK(close.rule == "same-access-chain");
  CHECK(close.excuse == Excuse::Silenced); // the assembler leaves the barrier out
  CHECK(excuseOf(wide(4) + "  TADDS(a, a, 1.0f); // first\n  TROWEXPANDSUB(a, a, s); // second\n", "a3", assembler) ==
        Excuse::Justified);
  CHECK(excuseOf(wide(16) + "  TADDS(a, a, 1.0f); // first\n  TROWEXPANDSUB(a, a, s); // second\n") ==
        Excuse::Justified);
  // The other way round, and a row reduction.
  CHECK(excuseOf(wide(4) + "  TROWEXPANDSUB(a, a, s); // first\n  TEXP(a, a); // second\n") == Excuse::Silenced);
  CHECK(excuseOf(wide(16) + "  TROWEXPANDSUB(a, a, s); // first\n  TEXP(a, a); // second\n") == Excuse::Justified);
  CHECK(excuseOf(wide(4) + "  TEXP(a, a); // first\n  TROWSUM(t, a, m); // second\n") == Excuse::Silenced);
  CHECK(excuseOf(wide(16) + "  TEXP(a, a); // first\n  TROWSUM(t, a, m); // second\n") == Excuse::Justified);
  CHECK(excuseOf(wide(4) + "  TEXP(a, a); // first\n  TEXP(a, a); // second\n") == Excuse::Justified);
  // Of an unknown order nothing is known.
  CHECK(excuseOf(wide(16) + "  TEXP(a, a); // first\n  TCOLSUM(t, a); // second\n") == Excuse::Silenced);
}

TEST_CASE("hazard: what is touched beyond the valid region or the scratch", "[hazard]") {
  const std::string narrow =
      tileIn("Vec", "a", "float", "8, 64", "8, 16", "0") + tileIn("Vec", "gap", "float", "1, 32", "1, 32", "128");
  CHECK(verdict(narrow + "  TEXPANDS(a, 1.0f); // first\n  TEXP(gap, gap); // second\n").kind == "RAW");
  CHECK(verdict(narrow + "  TEXP(a, a); // first\n  TEXP(gap, gap); // second\n").kind == "none");
  // A chain needs exactly the region.
  const std::string behind = rowsAt("a", 16, "0") + rowsAt("m", 16, "8192") + columnTile("d", "float", 16, 16384) +
                             tileIn("Vec", "s", "float", "16, 8", "16, 8", "32768") +
                             tileIn("Vec", "x", "float", "1, 32", "1, 32", "33280");
  CHECK(verdict(behind + "  TROWMAX(d, a, s); // first\n  TEXP(x, x); // second\n").kind == "RAW");
  CHECK(verdict(behind + "  TROWMAX(d, a, m); // first\n  TEXP(x, x); // second\n").kind == "none");
}

TEST_CASE("hazard: loads that overwrite loads are silenced, never justified", "[hazard]") {
  std::string body = tiles(4) + tensorAt("g", "in");
  Finding v = verdict(body + "  TLOAD(a, g); // first\n  TLOAD(a, g); // second\n");
  CHECK(v.kind == "WAW");
  CHECK(v.excuse == Excuse::Silenced);
  CHECK(v.rule == "mte2-load-order");
}

TEST_CASE("hazard: scalar work is ordered among itself only", "[hazard]") {
  std::string body = tiles(4);
  CHECK(verdict(body + "  a.SetValue(0, 1.0f); // first\n  a.SetValue(0, 2.0f); // second\n").kind == "none");
  Finding v = verdict(body + "  a.SetValue(0, 1.0f); // first\n  TEXP(c, a); // second\n");
  CHECK(v.kind == "RAW");
  CHECK(v.excuse == Excuse::None);
}

TEST_CASE("hazard: two pipes reading one L0C range conflict", "[hazard]") {
  std::string store = "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 16>, pto::Stride<256, 256, 256, 16, 1>> g(out);\n";
  CHECK(verdict(matrixTiles() + store + "  TSTORE(g, c); // first\n  TMATMUL_ACC(d, c, l, r); // second\n").kind ==
        "RAR");
  CHECK(verdict(matrixTiles() + store + "  TSTORE(g, c); // first\n  TMATMUL_ACC(d, d, l, r); // second\n").kind ==
        "none");
  // One pipe may read twice; the stores' own target is another matter.
  std::string two =
      store + "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 16>, pto::Stride<256, 256, 256, 16, 1>> h(in);\n";
  CHECK(verdict(matrixTiles() + two + "  TSTORE(g, c); // first\n  TSTORE(h, c); // second\n").kind == "none");
  // Reading UB from two pipes is nothing.
  CHECK(verdict(tiles(4) + tensorAt("g", "out") + "  TSTORE(g, a); // first\n  TEXP(c, a); // second\n").kind ==
        "none");
}

TEST_CASE("hazard: hidden scratch conflicts with tiles, not with itself", "[hazard]") {
  std::string body = tiles(16) + columnTile("s", "float", 16, 40960) + rowsAt("high", 4, "188416") +
                     rowsAt("below", 4, "187392") + rowsAt("to", 4, "53248");
  CHECK(verdict(body + "  TROWEXPANDDIV(a, b, s); // first\n  TROWEXPANDDIV(c, d, s); // second\n").kind == "none");
  CHECK(verdict(body + "  TROWEXPANDDIV(a, b, s); // first\n  TEXP(c, high); // second\n").kind == "RAW");
  CHECK(verdict(body + "  TEXP(c, high); // first\n  TROWEXPANDDIV(a, b, s); // second\n").kind == "WAR");
  CHECK(verdict(body + "  TROWEXPANDDIV(a, b, s); // first\n  TEXP(to, below); // second\n").kind == "none");
  // By the sixteen rows of its result it reads on behind the four.
  CHECK(verdict(body + "  TROWEXPANDDIV(a, b, s); // first\n  TEXP(c, below); // second\n").kind == "RAW");
}

TEST_CASE("hazard: what orders a pair inside a library call", "[hazard]") {
  std::string body =
      tiles(16) + columnTile("s", "float", 16, 40960) + columnTile("t", "float", 16, 45056) + rowsAt("m", 16, "49152");
  auto ordered = [&](const std::string &first, const std::string &second) {
    Analysed kernel(vectorKernel(body + "  " + first + "; // first\n  " + second + "; // second\n"));
    std::optional<ConflictPair> pair = kernel.hazards().conflict(kernel.bit("// first"), kernel.node("// second"));
    REQUIRE(pair);
    return kernel.hazards().libraryOrders(*pair);
  };
  CHECK(ordered("TROWSUM(s, a, b)", "TADD(t, t, s)"));             // its own barrier stands at the end
  CHECK(ordered("TADD(a, b, c)", "TROWEXPANDDIV(d, a, s)"));       // src0 is read behind the barrier inside
  CHECK_FALSE(ordered("TADD(s, s, t)", "TROWEXPANDDIV(d, a, s)")); // src1 is read in front of it
  CHECK_FALSE(ordered("TADD(a, b, c)", "TADD(d, a, c)"));
}

TEST_CASE("hazard: places and names for readers", "[hazard]") {
  Analysed kernel(vectorKernel(tiles(4) + "  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n"));
  std::optional<ConflictPair> pair = kernel.hazards().conflict(kernel.bit("// first"), kernel.node("// second"));
  REQUIRE(pair);
  Conflict conflict = kernel.hazards().describe(*pair);
  CHECK(conflict.earlier.text == "TADDS(a, b, 1.0f)");
  CHECK(conflict.earlier.line == kernel.line("// first"));
  CHECK(conflict.later.text == "TADDS(c, a, 1.0f)");
  CHECK(conflict.later.pipe == Pipe::V);
  CHECK(conflict.storage == "UB [0, 1024)");
  CHECK_FALSE(conflict.loopCarried);
  CHECK(conflict.earlier.calledFrom.empty());
}

// What must be ordered, kind by kind, and that whoever decides sees every kind.

namespace {

const std::string kRareSignal = "  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 1>, pto::Stride<1, 1, 1, 1, 1>, "
                                "pto::Layout::ND> s((__gm__ int32_t *) out);\n";
const std::string kRarePipe = "TPipe<0, Direction::DIR_C2V, 1024, 4, 4, false>";
const std::string kRareFifo = "  auto f = " + kRarePipe + "(in, (int32_t) 32768, (int32_t) 0);\n";
const std::string kRarePop = "  TPOP<" + kRarePipe +
                             ", GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, "
                             "256, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_NO_SPLIT>(f, g);";

std::string manyTimes(const std::string &body) { return "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"; }

std::string rarely(const std::string &body) { return "  if (n % 1009 == 640) {\n" + body + "  }\n"; }

std::string flagPair(const std::string &pipes, int id, const std::string &mark = "flag") {
  const std::string of = "_flag(" + pipes + ", EVENT_ID" + std::to_string(id) + "); // ";
  return "  set" + of + "set " + mark + "\n  wait" + of + "wait " + mark + "\n";
}

/// The distances, in iterations, at which a kind is open between the statements of two marks.
std::set<std::uint32_t> openDistances(const Analysed &kernel, ObligationKind kind, const std::string &earlier,
                                      const std::string &later) {
  std::set<std::uint32_t> found;
  for (const OpenObligation &open : kernel.pending->open(kind)) {
    const Node &first = kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]];
    if (first.statement->line == kernel.line(earlier) &&
        kernel.program->nodes[open.pair.later].statement->line == kernel.line(later))
      found.insert(kernel.program->distanceOf(open.pair.bit).count);
  }
  return found;
}

bool openAtEnd(const Analysed &kernel, const std::string &mark) {
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::End))
    if (kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]].statement->line == kernel.line(mark))
      return true;
  return false;
}

/// Whether a trial without the marked syncs is refused, or loses an order of a pair that is open.
bool isNeeded(const std::string &text, const std::vector<std::string> &marks) {
  Analysed kernel(text);
  std::set<SiteId> sites;
  for (const std::string &mark : marks)
    sites.insert(kernel.site(mark));
  Pins pins(*kernel.program, *kernel.pending);
  if (!kernel.pending->tryRemoval(sites).allowed)
    return true;
  std::vector<ConflictPair> pairs;
  if (sites.size() == 1)
    pairs = pins.ofBarrier(*sites.begin());
  for (const Web &web : findWebs(*kernel.program, kernel.pending->layout(), kernel.pending->tokens()))
    if (web.sites() == sites)
      pairs = pins.ofWeb(web);
  return kernel.pending->losesOrder(pairs).has_value();
}

} // namespace

TEST_CASE("obligations: a fence is one to its own earlier iterations, not to itself", "[obligations]") {
  const std::string loop = kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set); // call\n" +
                                                   rarely("  pipe_barrier(PIPE_ALL); // barrier\n"));
  Analysed kernel(smallBody(loop));
  std::set<std::uint32_t> open = openDistances(kernel, ObligationKind::Fence, "// call", "// call");
  CHECK(open.count(1) == 1);
  CHECK(open.count(0) == 0);
  CHECK(isNeeded(smallBody(loop), {"// barrier"}));
  Analysed ordered(
      smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set); // call\n  pipe_barrier(PIPE_ALL);\n")));
  CHECK(openDistances(ordered, ObligationKind::Fence, "// call", "// call").empty());
  // Without the condition the trial alone sees it.
  CHECK(isNeeded(
      smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n  pipe_barrier(PIPE_ALL); // barrier\n")),
      {"// barrier"}));
}

TEST_CASE("obligations: what is open is listed at every distance", "[obligations]") {
  const std::string loop = kRareFifo + manyTimes(kRarePop + " // pop\n  TSTORE(h, a); // store\n" +
                                                 rarely(flagPair("PIPE_MTE2, PIPE_MTE3", 0)));
  Analysed kernel(smallBody(loop));
  std::set<std::uint32_t> open = openDistances(kernel, ObligationKind::Fence, "// pop", "// store");
  CHECK(open.count(0) == 1); // nothing between them orders the two
  CHECK(open.count(1) == 1); // the flag does, on some paths only
  CHECK(isNeeded(smallBody(loop), {"// set flag", "// wait flag"}));
}

TEST_CASE("obligations: the sets and waits inside a library call are uses of their flags", "[obligations]") {
  // V waits for S inside the call and the other way round, with id 0; the kernel uses V -> S, id 0, too.
  const std::string tiles = tileIn("Vec", "wide", "float", "16, 64", "16, 64", "16384") +
                            tileIn("Vec", "column", "float", "16, 1", "16, 1", "24576", "BLayout::ColMajor");
  const std::string call = "  TROWEXPAND(wide, column); // call\n", work = "  TADDS(a, b, 1.0f);\n";
  const std::string own = flagPair("PIPE_V, PIPE_S", 0, "own");
  SECTION("a set of the kernel's own behind the wait inside") {
    CHECK_FALSE(openDistances(Analysed(smallBody(tiles + call + work + own)), ObligationKind::FlagReuse, "// call",
                              "// set own")
                    .empty());
    const std::string back = flagPair("PIPE_S, PIPE_V", 5, "back");
    CHECK(openDistances(Analysed(smallBody(tiles + call + back + work + own)), ObligationKind::FlagReuse, "// call",
                        "// set own")
              .empty());
    CHECK(isNeeded(smallBody(tiles + call + back + work + own), {"// set back", "// wait back"}));
    CHECK(isNeeded(smallBody(tiles + call + rarely(back) + work + own), {"// set back", "// wait back"}));
  }
  SECTION("the set inside behind a wait of the kernel's own") {
    CHECK_FALSE(openDistances(Analysed(smallBody(tiles + work + own + call)), ObligationKind::FlagReuse, "// wait own",
                              "// call")
                    .empty());
    const std::string back = flagPair("PIPE_S, PIPE_V", 5, "back");
    CHECK(openDistances(Analysed(smallBody(tiles + work + own + back + call)), ObligationKind::FlagReuse, "// wait own",
                        "// call")
              .empty());
    CHECK(isNeeded(smallBody(tiles + work + own + back + call), {"// set back", "// wait back"}));
  }
  SECTION("not of one call behind another") {
    Analysed kernel(smallBody(tiles + call + "  TROWEXPAND(wide, column); // other\n" + work + own));
    CHECK(openDistances(kernel, ObligationKind::FlagReuse, "// call", "// other").empty());
  }
  SECTION("not of a flag between pipes that the kernel has none for") {
    Analysed kernel(smallBody(tiles + call + work));
    for (const Node &node : kernel.program->nodes)
      CHECK(node.libraryFlag == kNone);
  }
}

TEST_CASE("obligations: where a kernel returns, fences without accesses and waits count as well", "[obligations]") {
  const std::string leave = "  if (n > 3) return;\n";
  SECTION("a meeting of the cores") {
    const std::string body = "  SYNCALL(); // call\n" + rarely("  pipe_barrier(PIPE_ALL); // barrier\n") + leave;
    CHECK(openAtEnd(Analysed(smallBody(body)), "// call"));
    CHECK(isNeeded(smallBody(body), {"// barrier"}));
  }
  SECTION("a wait that other pipes do not know to be over") {
    const std::string body = "  TLOAD(a, g);\n" + flagPair("PIPE_MTE2, PIPE_V", 0, "own") +
                             rarely("  pipe_barrier(PIPE_ALL); // barrier\n") + leave;
    CHECK(openAtEnd(Analysed(smallBody(body)), "// wait own"));
    CHECK(isNeeded(smallBody(body), {"// barrier"}));
  }
  SECTION("nothing that no sync follows") {
    Analysed kernel(smallBody("  TADDS(a, b, 1.0f); // one\n  pipe_barrier(PIPE_V);\n  TADDS(c, d, 1.0f); // two\n"
                              "  if (n > 3) return;\n"));
    CHECK(openAtEnd(kernel, "// one")); // the kernel's end fence follows
    Analysed bare("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nextern \"C\" __global__ AICORE void k(__gm__ "
                  "float *in, __gm__ float *out, int32_t n) {\n" +
                  rowsAt("a", 4, "0") + "  TADDS(a, a, 1.0f); // one\n  pipe_barrier(PIPE_V);\n}\n");
    CHECK_FALSE(openAtEnd(bare, "// one"));
  }
}

TEST_CASE("obligations: a kernel is seen whole only if nothing of any kind is open", "[obligations]") {
  const std::string ordered = kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n  pipe_barrier(PIPE_ALL);\n");
  CHECK(Analysed(smallBody(ordered)).pending->seenWhole());
  CHECK_FALSE(Analysed(smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n"))).pending->seenWhole());
}
