// Which bytes two accesses meet in, and which rules of the machine excuse a pair. BEFORE has one sync more than AFTER;
// beside each pair of versions that loses an order by that stands one that may go without it, so that a refusal for
// another reason does not pass for the right one.
#include "support.h"

#include <catch2/catch.hpp>

using namespace ptosync::check;
using namespace ptosync::check::test;

namespace {

using nlohmann::json;

const std::string kVector = "pipe_barrier(PIPE_V);", kMatrix = "pipe_barrier(PIPE_M);";

std::string flag(const std::string &from, const std::string &to) {
  const std::string of = "(PIPE_" + from + ", PIPE_" + to + ", EVENT_ID0);\n";
  return "set_flag" + of + "wait_flag" + of;
}

/// AFTER goes without the sync that stands for `|` in BEFORE. "kept" if it is certified, "lost" if the checker sees an
/// order that it loses, and else what the checker says.
std::string ofVersions(const std::string &text, const std::string &sync, const std::string &arch) {
  const std::size_t at = text.find('|');
  REQUIRE(at != std::string::npos);
  auto version = [&](const std::string &by) { return text.substr(0, at) + by + text.substr(at + 1); };
  Answer proposal;
  const std::string facts = factsOf(arch), certificate = propose(version(sync), version(""), facts, proposal);
  if (checkCertificate(version(sync), version(""), facts, certificate).certified())
    return "kept";
  std::string reason = proposal.problem;
  for (const KernelAnswer &kernel : proposal.kernels)
    reason += kernel.reason;
  return reason.find("is not seen to be over before") == std::string::npos ? reason : "lost";
}

std::string without(const std::string &sync, const std::string &body, const std::string &arch = "a3") {
  return ofVersions(kernel(body + "pipe_barrier(PIPE_ALL);"), sync, arch);
}

std::string tileType(int rows, int columns, int validRows, int validColumns) {
  auto sides = [](int x, int y) { return std::to_string(x) + ", " + std::to_string(y); };
  return "Tile<TileType::Vec, float, " + sides(rows, columns) + ", BLayout::RowMajor, " +
         sides(validRows, validColumns) + ", SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>";
}

std::string tile(const std::string &name, const std::string &address, int rows, int columns, int validColumns = 0) {
  return tileType(rows, columns, rows, validColumns ? validColumns : columns) + " " + name + "; TASSIGN(" + name +
         ", (uint64_t) (" + address + "));\n";
}

/// A part of `out` as lines of 16 floats that are `stride` floats apart.
std::string lines(const std::string &name, int stride, int from) {
  const std::string apart = std::to_string(stride);
  const std::string type = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 16>, pto::Stride<4096, 4096, 4096, " + apart +
                           ", 1>, pto::Layout::ND>";
  return type + " " + name + " = " + type + "(out + " + std::to_string(from) + ");\n";
}

} // namespace

TEST_CASE("an access covers all the bytes that its call may touch") {
  auto meets = [](const std::string &tiles, const std::string &call) {
    return without(kVector, tiles + "TADDS(t, d, 1.0f); |" + call);
  };
  // The end of a tile.
  CHECK(meets(tile("t", "2048", 8, 64), "TADD(a, c, c);") == "kept");
  CHECK(meets(tile("t", "1024", 8, 64), "TADD(a, c, c);") == "lost");
  // What lies behind a source of one row, where the result has eight.
  const std::string row = tile("s", "16384", 1, 64) + tile("t", "16640", 8, 64);
  CHECK(meets(row + tile("u", "20480", 1, 64), "TADD(u, s, s);") == "kept");
  CHECK(meets(row, "TADD(c, s, s);") == "lost");
  // Scratch of 768 bytes, behind the end of its tile too.
  const std::string scratch = tile("s", "16384", 1, 64) + tile("u", "20480", 1, 64);
  CHECK(meets(scratch + tile("t", "17152", 8, 64), "TCOLARGMAX(u, c, s);") == "kept");
  CHECK(meets(scratch + tile("t", "16640", 8, 64), "TCOLARGMAX(u, c, s);") == "lost");
  // Two rows from row 6, 7 or any other one on, of a tile of eight.
  const std::string part = tile("s", "16384", 2, 64) + tile("t", "20480", 8, 64);
  CHECK(meets(part, "TEXTRACT(s, a, 6, 0);") == "kept");
  CHECK(meets(part, "TEXTRACT(s, a, 7, 0);") == "lost");
  CHECK(meets(part, "TEXTRACT(s, a, n, 0);") == "lost");
}

TEST_CASE("a valid region that is larger than its tile is refused") {
  auto of = [](int rows, int columns, const std::string &behind) {
    return without(kVector, tileType(8, 64, rows, columns) + " x" + behind + " TASSIGN(x, (uint64_t) 16384);\n" +
                                tile("t", "18432", 8, 64) + "TADD(x, d, d); | TADDS(c, t, 1.0f);");
  };
  for (const std::string shape : {"(8, 64);", "(n, n);", ";", "; x.SetValidShape(8, 64);"})
    CHECK(of(-1, -1, shape) == "kept");
  for (const std::string shape : {"(9, 64);", "(8, 65);", "; x.SetValidShape(9, 64);", "; x.SetValidShape(8, 65);"})
    CHECK(of(-1, -1, shape).find("a valid region that is larger than its tile") != std::string::npos);
  CHECK(of(8, 64, ";") == "kept");
  CHECK(of(16, 64, ";").find("a tile of this type") != std::string::npos);
  CHECK(of(8, 128, ";").find("a tile of this type") != std::string::npos);
}

TEST_CASE("a call with a template argument that the facts do not have is refused") {
  CHECK(without(flag("MTE3", "V"), "TSTORE<AtomicType::AtomicNone>(h, a); | TADDS(c, d, 1.0f);") == "kept");
  CHECK(without(flag("MTE3", "V"), "TSTORE<Frob::Nicate>(h, a); | TADDS(c, d, 1.0f);").find("no form of TSTORE") !=
        std::string::npos);
}

TEST_CASE("iterations that are not told apart may be as far apart as any") {
  // The tile that is loaded is stored so many iterations later.
  auto later = [](const std::string &iterations) {
    return without(flag("MTE2", "MTE3"), "for (int64_t i = 0; i < n; i += 1) {" + tile("u", "65536 + i * 4096", 8, 64) +
                                             tile("t", "65536 + (i + " + iterations + ") * 4096", 8, 64) +
                                             "TLOAD(t, g); | TSTORE(h, u); pipe_barrier(PIPE_MTE3); }");
  };
  CHECK(later("-9") == "kept");
  CHECK(later("9") == "lost");
}

TEST_CASE("lines pass one another only where they are equally far apart") {
  auto store = [](int stride, int other) {
    return without(flag("MTE3", "MTE2"), lines("x", stride, 0) + lines("y", other, 16) + tile("s", "16384", 8, 16) +
                                             tile("t", "20480", 8, 16) + "TSTORE(x, s); | TLOAD(t, y);");
  };
  CHECK(store(32, 32) == "kept");
  CHECK(store(32, 48) == "lost");
  CHECK(store(48, 32) == "lost");
}

TEST_CASE("sums that wrap may meet though they are far from one another") {
  auto at = [](const std::string &one, const std::string &other) {
    return without(kVector, "uint32_t m = (uint32_t) n;\n" + tile("s", "m + " + one, 8, 64) +
                                tile("t", "m + " + other, 8, 64) + "TADDS(s, s, 1.0f); | TADDS(t, t, 1.0f);");
  };
  CHECK(at("2048u", "4294965248u") == "kept");
  CHECK(at("512u", "4294966784u") == "lost"); // 512 behind m, and 512 in front of it
  CHECK(at("4294966784u", "512u") == "lost");
}

TEST_CASE("a chain is of long results without gaps whose reader stays behind the writer") {
  auto chain = [](const std::string &tiles, const std::string &writes, const std::string &reads) {
    return without(kVector, tiles + writes + "|" + reads);
  };
  const std::string three = tile("x", "16384", 16, 64) + tile("y", "32768", 16, 64) + tile("z", "49152", 16, 64);
  CHECK(chain(three, "TADDS(x, y, 1.0f);", "TADDS(z, x, 1.0f);") == "kept");
  CHECK(chain(three, "TADD(x, y, y);", "TADDS(z, x, 1.0f);") == "kept");
  CHECK(chain(three, "TADDC(x, y, y, y);", "TADDS(z, x, 1.0f);") == "lost"); // nobody knows in which order
  // Lines of four repeats: the first result of the second part is read eleven repeats later.
  const std::string wide = tile("x", "16384", 8, 256) + tile("y", "32768", 8, 256) + tile("z", "49152", 8, 256);
  CHECK(chain(wide, "TMOV(x, y);", "TMOV(z, x);") == "kept");
  CHECK(chain(wide, "TADDS(x, y, 1.0f);", "TADDS(z, x, 1.0f);") == "lost");
  // The writer in front of the loop of the reader, which reads the same bytes in each iteration, or others.
  auto loop = [](const std::string &address) {
    return "for (int64_t i = 0; i < n; i += 1) {" + tile("w", address, 16, 64) + "| TADDS(z, w, 1.0f);" + kVector + "}";
  };
  CHECK(without(kVector, three + "TADDS(x, y, 1.0f);" + loop("16384")) == "kept");
  CHECK(without(kVector, three + "TADDS(x, y, 1.0f);" + loop("16384 + (i + 1) % 2 * 2048")) == "lost");
  // Half of each line.
  CHECK(chain(tile("x", "16384", 32, 64), "TADDS(x, x, 1.0f);", "TADDS(x, x, 1.0f);") == "kept");
  CHECK(chain(tile("x", "16384", 32, 64, 32), "TADDS(x, x, 1.0f);", "TADDS(x, x, 1.0f);") == "lost");
}

namespace {

std::string cubeTile(const std::string &location, const std::string &element, int rows, int columns,
                     const std::string &name, const std::string &address) {
  const std::string sides = std::to_string(rows) + ", " + std::to_string(columns);
  const bool left = location == "Left", accumulator = location == "Acc";
  return "Tile<TileType::" + location + ", " + element + ", " + sides +
         ", BLayout::" + (accumulator ? "ColMajor, " : "RowMajor, ") + sides +
         ", SLayout::" + (left || accumulator ? "Row" : "Col") + "Major, " + (accumulator ? "1024" : "512") +
         ", PadValue::Null, CompactMode::Null> " + name + "; TASSIGN(" + name + ", (uint64_t) " + address + ");\n";
}

/// A cube kernel with inputs `x` and `y` of a product of `side` rows and columns, and accumulators: `s` at 0, `z`
/// at `address`.
std::string product(const std::string &sync, const std::string &body, const std::string &address = "0", int side = 64,
                    const std::string &element = "half", const std::string &arch = "a3") {
  std::string text =
      kernel(cubeTile("Left", element, side, 64, "x", "0") + cubeTile("Right", element, 64, side, "y", "0") +
             cubeTile("Acc", "float", side, side, "s", "0") + cubeTile("Acc", "float", side, side, "z", address) +
             body + "pipe_barrier(PIPE_ALL);");
  const std::string core = "__DAV_VEC__";
  return ofVersions(text.replace(text.find(core), core.size(), "__DAV_CUBE__"), sync, arch);
}

} // namespace

TEST_CASE("products that are added up need no barrier, other ones do") {
  const std::string added = "TMATMUL(s, x, y); | TMATMUL_ACC(z, x, y);";
  CHECK(product(kMatrix, added) == "kept");
  CHECK(product(kMatrix, added, "16384") == "kept"); // another accumulator
  CHECK(product(kMatrix, added, "8192") == "lost");  // half of it
  CHECK(product(kMatrix, added, "0", 48) == "lost"); // nine fractals
  CHECK(product(kMatrix, added, "0", 64, "float") == "lost");
  CHECK(product(kMatrix, "TMATMUL(s, x, y); | TMATMUL(z, x, y);") == "lost");
}

TEST_CASE("two pipes do not read one accumulator at once") {
  const std::string adds = "| TMATMUL_ACC(z, s, x, y);";
  const std::string other = cubeTile("Acc", "float", 64, 64, "w", "32768");
  CHECK(product(flag("FIX", "M"), other + "TSTORE(h, w);" + adds, "65536") == "kept");
  CHECK(product(flag("FIX", "M"), other + "TSTORE(h, s);" + adds, "65536") == "lost");
}

TEST_CASE("hidden scratch of two calls is in order on one pipe alone") {
  const std::string expand = "Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, "
                             "PadValue::Null, CompactMode::Null> e; TASSIGN(e, (uint64_t) 24576);\n" +
                             tile("p", "16384", 8, 64) + tile("q", "20480", 8, 64) + "TROWEXPANDADD(c, a, e); |";
  CHECK(without(kVector, expand + "TROWEXPANDADD(p, d, e);") == "kept");
  CHECK(without(flag("V", "S"), expand + "TSHL(p, q, d);") == "kept");
  CHECK(without(flag("V", "S"), expand + "TEXTRACT(p, q, d, 0, 0, 4, 0);") == "lost"); // partly on the scalar pipe
}

namespace {

const std::string kTensor = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                            "pto::Layout::ND>";

/// The type of a fifo, its declaration as `name`, and calls on it.
struct Fifo {
  std::string name, type;
  Fifo(const std::string &name, int flags, const std::string &direction, int slots, int local = 0)
      : name(name), type("TPipe<" + std::to_string(flags) + ", Direction::" + direction + ", 2048, " +
                         std::to_string(slots) + ", " + std::to_string(local ? local : slots) + ", false>") {}
  std::string declared(const std::string &ring) const {
    return type + " " + name + " = " + type + "(" + ring + ", 32768, 32768);\n";
  }
  std::string call(const std::string &what, const std::string &with, bool tensor) const {
    return what + "<" + type + ", " + (tensor ? kTensor : tileType(8, 64, 8, 64)) + ", TileSplitAxis::TILE_NO_SPLIT>(" +
           name + ", " + with + ");\n";
  }
};

} // namespace

TEST_CASE("what stands behind a wait for another core stays behind it") {
  CHECK(without(kVector, "TADDS(a, d, 1.0f); | TADDS(c, d, 1.0f);") == "kept");
  CHECK(without(kVector, "wait_flag_dev(1); | TADDS(c, d, 1.0f);") == "lost");
  const Fifo fifo("v", 0, "DIR_C2V", 4);
  const std::string pop = fifo.declared("in") + kTensor + " e;\n" + fifo.call("TPOP", "e", true) + "|";
  CHECK(without(flag("MTE2", "V"), pop + "TADDS(c, d, 1.0f);") == "kept");
  CHECK(without(flag("MTE2", "MTE3"), pop + "TSTORE(e, a);") == "lost");
}

TEST_CASE("a call that moves a tile through a fifo holds what several cores reach") {
  const Fifo fifo("v", 0, "DIR_V2C", 4);
  const std::string push = fifo.call("TPUSH", "a", false);
  CHECK(without(flag("MTE3", "V"), fifo.declared("in") + push + "| TADDS(b, d, 1.0f);") == "kept");
  CHECK(without(flag("MTE3", "MTE2"), fifo.declared("in") + push + "| TLOAD(b, h);") == "lost");
  CHECK(without(flag("MTE2", "MTE3"), fifo.declared("in") + "TLOAD(b, h); |" + push) == "lost");
  // One that runs on several pipes holds all there is.
  const Fifo popped("w", 2, "DIR_V2C", 4);
  const std::string work = popped.declared("in") + "TMATMUL(s, x, y); |";
  const std::string free = "TFREE<" + popped.type + ", TileSplitAxis::TILE_NO_SPLIT>(w);\n";
  CHECK(product(flag("M", "MTE1"), work, "65536", 64, "half", "a5") == "kept");
  CHECK(product(flag("M", "MTE1"), work + free, "65536", 64, "half", "a5") == "lost");
}

TEST_CASE("a call on a fifo that moves nothing holds accesses of its own ring") {
  const Fifo fifo("v", 0, "DIR_C2V", 4), other("w", 2, "DIR_C2V", 4);
  const std::string stored = fifo.declared("in") + other.declared("out") + kTensor + " e;\n" + kTensor + " f;\n" +
                             fifo.call("TPOP", "e", true) + flag("MTE2", "MTE3") + "TSTORE(e, a); |";
  CHECK(without(flag("MTE3", "MTE2"), stored + other.call("TFREE", "f", true)) == "kept");
  CHECK(without(flag("MTE3", "MTE2"), stored + fifo.call("TFREE", "e", true)) == "lost");
}

TEST_CASE("that vector work is in order is not said of a pop") {
  const Fifo fifo("v", 0, "DIR_C2V", 1);
  const std::string pop = fifo.call("TPOP", "t", false);
  const std::string read =
      fifo.declared("in") + tileType(8, 64, 8, 64) + " t;\n" + pop + kVector + "TADDS(c, t, 1.0f); |";
  CHECK(without(kVector, read + "TADDS(t, c, 1.0f);", "a5") == "kept");
  CHECK(without(kVector, read + pop, "a5") == "lost");
}

TEST_CASE("a pop of a5 goes round in all slots of its fifo, one of a3 in the local ones") {
  const Fifo fifo("v", 0, "DIR_C2V", 4, 2);
  std::string pops = fifo.declared("in");
  for (const char *name : {"s", "t", "u"})
    pops += tileType(8, 64, 8, 64) + " " + name + ";\n" + fifo.call("TPOP", name, false);
  pops += flag("MTE2", "V") + flag("V", "MTE2") + "pipe_barrier(PIPE_MTE2);\n"; // the pops themselves are over
  auto reuse = [&](const std::string &address) {
    return pops + tile("x", address, 8, 64) + "TADDS(c, u, 1.0f); | TLOAD(x, h);"; // u is of the third pop
  };
  CHECK(without(flag("V", "MTE2"), reuse("36864"), "a5") == "lost");
  CHECK(without(flag("V", "MTE2"), reuse("32768"), "a5") == "kept");
  CHECK(without(flag("V", "MTE2"), reuse("36864"), "a3") == "kept");
  CHECK(without(flag("V", "MTE2"), reuse("32768"), "a3") == "lost");
}

TEST_CASE("a tile that is larger than a slot may lie a tile's length behind the one in front") {
  const Fifo fifo("v", 0, "DIR_C2V", 2);
  const std::string pops = fifo.declared("in") + tileType(16, 64, 8, 64) + " s;\n" + tileType(16, 64, 8, 64) + " t;\n" +
                           fifo.call("TPOP", "s", false) + fifo.call("TPOP", "t", false) + flag("MTE2", "V") +
                           "pipe_barrier(PIPE_MTE2);\n";
  auto reuse = [&](const std::string &address) {
    return pops + tile("x", address, 8, 64) + "TADDS(c, t, 1.0f); | TLOAD(x, h);";
  };
  CHECK(without(flag("V", "MTE2"), reuse("36864")) == "lost");
  CHECK(without(flag("V", "MTE2"), reuse("40960")) == "kept");
}

TEST_CASE("ways that join show what each of them shows") {
  const std::string add = "TADDS(a, b, 1.0f);\n", read = "TADDS(c, a, 1.0f);";
  // One way on which BEFORE has a barrier, behind one without, and in front of one on which less is known.
  CHECK(without(kVector, add + "if (n > 3) { TADDS(d, d, 1.0f); } else { | }\nTADDS(c, b, 1.0f);") == "kept");
  CHECK(without(kVector, add + "if (n > 3) { TADDS(d, d, 1.0f); } else { | }\n" + read) == "lost");
  CHECK(without(kVector, add + "if (n > 3) {" + flag("V", "S") + "| }\n" + read) == "lost");
  // On one way all other pipes wait for the vector pipe; what is left of it on the other way is not forgotten.
  std::string waits;
  for (const std::string pipe : {"S", "M", "MTE1", "MTE2", "MTE3", "FIX"})
    waits += flag("V", pipe);
  const std::string ways = add + "if (n > 3) {" + waits + "}\n" + kVector + "|";
  CHECK(without(flag("V", "MTE3"), ways + "TSTORE(h, c);") == "kept");
  CHECK(without(flag("V", "MTE3"), ways + "TSTORE(h, a);") == "lost");
}

namespace {

Access exactAccess(const std::string &memory, std::int64_t rows, bool writes, const std::string &order) {
  Access made;
  made.memory = memory;
  made.tile = {"Vec", "float", 32, rows, 64, rows, 64};
  made.bytes = Bytes{1, rows * 256, rows * 256};
  made.reads = !writes;
  made.writes = writes;
  made.exact = true;
  made.order = order;
  return made;
}

/// What the rules for pairs say of two calls on one pipe.
bool mustOrder(const std::vector<Access> &earlier, const std::vector<Access> &later, const std::string &pipe) {
  const File file;
  const Machine machine(json::parse(factsOf("a3")));
  Scene scene{file, machine, "vec", {}, {}};
  for (const std::vector<Access> &accesses : {earlier, later}) {
    Node node;
    node.call = std::to_string(scene.nodes.size());
    node.pipe = machine.pipe(pipe);
    node.effects.accesses = accesses;
    scene.nodes.push_back(node);
  }
  return Meetings(scene).mustOrder({0, 0, 0}, 1);
}

} // namespace

TEST_CASE("the rules for pairs, where no kernel comes to them today") {
  const Access written = exactAccess("UB", 16, true, "columns"), read = exactAccess("UB", 16, false, "columns");
  CHECK_FALSE(mustOrder({written}, {read}, "PIPE_V"));
  CHECK(mustOrder({written}, {read}, "PIPE_MTE2")); // the chain is the vector pipe's
  // A short result elsewhere, though nothing of it is read.
  const Access shortRead = exactAccess("L1", 8, false, "columns"), shortWritten = exactAccess("L1", 8, true, "columns");
  CHECK(mustOrder({written, shortRead}, {read, shortWritten}, "PIPE_V"));
  // Global memory of a known argument, and of one that is not known.
  Access in = exactAccess("GM", 8, true, ""), anywhere = exactAccess("GM", 8, false, "");
  in.base = "in";
  anywhere.address.constant = 4096;
  CHECK(mustOrder({in}, {anywhere}, "PIPE_MTE2"));
  CHECK(mustOrder({anywhere}, {in}, "PIPE_MTE2"));
  anywhere.base = "in";
  CHECK_FALSE(mustOrder({in}, {anywhere}, "PIPE_MTE2"));
}

TEST_CASE("the distance of a chain is not known of what is not exact") {
  const Access written = exactAccess("UB", 16, true, "columns"), read = exactAccess("UB", 16, false, "columns");
  CHECK(chainDistance(written, read, 256) == 16);
  Access other = written;
  other.exact = false;
  CHECK(chainDistance(other, read, 256) == 0);
  CHECK(chainDistance(written, other, 256) == 0);
  other = written;
  other.order = "reduce"; // a reduction's order is that of its reads
  CHECK(chainDistance(other, read, 256) == 0);
  other = written;
  other.tile.bits = 4;
  CHECK(chainDistance(other, read, 256) == 0);
}

TEST_CASE("exact is what is known to be the valid region and nothing else") {
  const Machine machine(json::parse(factsOf("a3")));
  const Numbers numbers;
  auto exact = [&](std::int64_t validRows, std::int64_t validColumns) {
    Operand tile, mode;
    tile.kind = Operand::Kind::Tile;
    tile.tile = {"Vec", "float", 32, 16, 64, validRows, validColumns};
    mode.text = "RoundMode::CAST_NONE";
    std::vector<bool> made; // of the result, the source, and scratch
    for (const Access &access : machine.effects("TCVT", {}, {tile, tile, tile, mode}, "vec", numbers, 1).accesses)
      made.push_back(access.exact);
    return made;
  };
  CHECK(exact(16, 64) == std::vector<bool>{true, true, false});
  CHECK(exact(1, 32) == std::vector<bool>{true, true, false});
  CHECK(exact(16, 32) == std::vector<bool>{false, false, false});
  CHECK(exact(-1, 64) == std::vector<bool>{false, false, false});
  CHECK(exact(16, -1) == std::vector<bool>{false, false, false});
}
