#include "explain/explain.h"
#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Accesses of the marked instruction as "does name: storage (detail)".
std::vector<std::string> accesses(const std::string &text, const std::string &mark) {
  Explained kernel(text);
  std::vector<std::string> list;
  for (const AccessText &access : kernel.instruction(mark).accesses)
    list.push_back(access.does + " " + access.name + ": " + access.storage +
                   (access.detail.empty() ? "" : " (" + access.detail + ")"));
  return list;
}

using Lines = std::vector<std::string>;

std::string region(const std::string &name, const std::string &shape, const std::string &valid, const std::string &at,
                   const std::string &arguments = "") {
  return tileIn("Vec", name, "float", shape, valid, at, "BLayout::RowMajor", "SLayout::NoneBox", arguments);
}

} // namespace

TEST_CASE("access text: what is read and written, and where") {
  CHECK(accesses(fourTiles("  TADDS(a, b, 1.0f); // here\n"), "// here") ==
        Lines{"writes a: UB [0, 1024)", "reads b: UB [1024, 2048)"});
  CHECK(accesses(fourTiles("  TADDS(a, a, 1.0f); // here\n"), "// here") == Lines{"reads and writes a: UB [0, 1024)"});
  CHECK(accesses(fourTiles("  TLOAD(a, g); // here\n"), "// here") ==
        Lines{"writes a: UB [0, 1024)", "reads g: GM argument in"});
}

TEST_CASE("access text: rows of a wider tile, scratch, and what hides in the library") {
  std::string rows = region("p", "16, 64", "16, 8", "8192");
  CHECK(accesses(fourTiles(rows + "  TADDS(p, p, 1.0f); // here\n"), "// here") ==
        Lines{"reads and writes p: UB [8192, 12064) (16 rows of 32 bytes, 256 apart)"});
  std::string sum = rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768);
  CHECK(accesses(fourTiles(sum + "  TROWSUM(s, x, t); // here\n"), "// here").back() == "scratch t: UB [16384, 20480)");
  std::vector<std::string> expand = accesses(fourTiles(sum + "  TROWEXPANDMUL(x, x, s); // here\n"), "// here");
  CHECK(std::count(expand.begin(), expand.end(), "scratch hidden scratch: UB [188416, 196608)") == 1);
}

TEST_CASE("access text: what is not known, and why") {
  std::string moving = region("p", "4, 64", "4, 64", "n * 64");
  CHECK(accesses(fourTiles(moving + "  TADDS(p, a, 1.0f); // here\n"), "// here").front() ==
        "writes p: UB, unknown bytes (its address depends on a kernel argument, so every place that it may be counts)");
  std::string valid = region("p", "4, 64", "-1, 64", "8192", "(n)");
  CHECK(accesses(fourTiles(valid + "  TADDS(p, a, 1.0f); // here\n"), "// here").front() ==
        "writes p: UB [8192, 9216) (its valid region is known at run time only, so the whole tile counts)");
  std::string tensor =
      "  GlobalTensor<float, pto::Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>, pto::Layout::ND> "
      "u(out, pto::Shape<1, 1, 1, -1, -1>(n, n), pto::Stride<1, 1, 1, -1, 1>(n));\n";
  CHECK(accesses(fourTiles(tensor + "  TSTORE(u, a); // here\n"), "// here").front() ==
        "writes u: GM argument out, unknown bytes (its shape or strides are known at run time only, so all that the "
        "argument points to counts)");
}

TEST_CASE("access text: declarations") {
  Explained kernel(fourTiles(region("p", "16, 64", "-1, 8", "8192", "(n)") + "  TADDS(p, p, 1.0f);\n"));
  const Kernel &lifted = kernel.module.kernels[0];
  CHECK(declaredText(lifted.tiles.at(0)) == "Vec float 4 x 64");
  CHECK(declaredText(lifted.tiles.at(4)) == "Vec float 16 x 64, valid run-time x 8");
}

namespace {

/// What orders the first link between two marked instructions.
PairOrder order(const Explained &kernel, const std::string &first, const std::string &second) {
  const Program &program = kernel.file->kernels()[0].program();
  for (const ChainLink &link : kernel.file->kernels()[0].links())
    if (program.nodes[link.earlier].statement->line == kernel.line(first) &&
        program.nodes[link.later].statement->line == kernel.line(second))
      return pairOrder(*kernel.file, 0, link);
  throw std::runtime_error("no link");
}

const std::string kEarlierSync = "  TADDS(a, b, 1.0f); // first\n", kLaterSync = "  TADDS(c, a, 1.0f); // second\n";

std::string at(const Explained &kernel, const std::string &mark) { return std::to_string(kernel.line(mark)); }

} // namespace

TEST_CASE("pair order: a barrier, and nothing") {
  Explained kernel(fourTiles(kEarlierSync + "  pipe_barrier(PIPE_V); // sync\n" + kLaterSync));
  PairOrder found = order(kernel, "// first", "// second");
  CHECK(found.by == PairOrder::By::Barrier);
  CHECK(found.text == "pipe_barrier(PIPE_V) at line " + at(kernel, "// sync"));
  CHECK(found.lines == std::vector<std::uint32_t>{kernel.line("// sync")});
  Explained all(fourTiles(kEarlierSync + "  pipe_barrier(PIPE_ALL); // sync\n" + kLaterSync));
  CHECK(order(all, "// first", "// second").text == "pipe_barrier(PIPE_ALL) at line " + at(all, "// sync"));
  Explained none(fourTiles(kEarlierSync + kLaterSync));
  CHECK(order(none, "// first", "// second").by == PairOrder::By::Nothing);
  CHECK(order(none, "// first", "// second").text == "NOT ORDERED");
}

TEST_CASE("pair order: on some path only") {
  Explained kernel(fourTiles(kEarlierSync + "  if (n > 3) {\n    pipe_barrier(PIPE_V); // sync\n  }\n" + kLaterSync));
  PairOrder found = order(kernel, "// first", "// second");
  CHECK(found.by == PairOrder::By::Nothing);
  CHECK(found.text.rfind("NOT ORDERED", 0) == 0);
  Explained both(fourTiles(kEarlierSync +
                           "  if (n > 3) {\n    pipe_barrier(PIPE_V);\n  } else {\n    pipe_barrier(PIPE_V);\n  }\n" +
                           kLaterSync));
  CHECK(order(both, "// first", "// second").by == PairOrder::By::Barrier);
}

TEST_CASE("pair order: a flag with its lines, and one behind another") {
  Explained kernel(fourTiles("  TLOAD(a, g); // load\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // s1\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // w1\n  TADDS(b, a, 1.0f); // add\n"
                             "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // t1\n"
                             "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // x1\n  TSTORE(h, a); // store\n"));
  std::string first = "flag PIPE_MTE2 -> PIPE_V, id 3 (set at line " + at(kernel, "// s1") + ", awaited at line " +
                      at(kernel, "// w1") + ")";
  CHECK(order(kernel, "// load", "// add").text == first);
  CHECK(order(kernel, "// load", "// add").by == PairOrder::By::Flags);
  PairOrder chain = order(kernel, "// load", "// store");
  CHECK(chain.text == first + ", then flag PIPE_V -> PIPE_MTE3, id 0 (set at line " + at(kernel, "// t1") +
                          ", awaited at line " + at(kernel, "// x1") + ")");
  CHECK(chain.lines == std::vector<std::uint32_t>{kernel.line("// s1"), kernel.line("// w1"), kernel.line("// t1"),
                                                  kernel.line("// x1")});
}

TEST_CASE("pair order: rules, contested ones apart, and the library's own barrier") {
  std::string tall = rowsAt("p", 16, "8192") + rowsAt("q", 16, "12288") + rowsAt("r", 16, "16384");
  std::string pair = "  TADDS(p, q, 1.0f); // first\n  TADDS(r, p, 1.0f); // second\n";
  Explained ruled(fourTiles(tall + pair));
  CHECK(order(ruled, "// first", "// second").by == PairOrder::By::Rule);
  CHECK(order(ruled, "// first", "// second").rule == "same-access-chain");
  Explained product(vectorKernel(productTiles(16, 16, "int8_t") +
                                 "  TMATMUL(C, L, R); // first\n  TMATMUL_ACC(C, C, L, R); // second\n"));
  PairOrder contested = order(product, "// first", "// second");
  CHECK(contested.by == PairOrder::By::Contested);
  CHECK(contested.text == "NOT ORDERED but by the contested machine rule m-accumulate-order");
  OptimizeOptions library;
  library.ordering.trust = Trust::Library;
  Explained sum(fourTiles(rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768) +
                          columnTile("u", "float", 16, 36864) +
                          "  TROWSUM(s, x, t); // first\n  TADD(u, u, s); // second\n"),
                library);
  CHECK(order(sum, "// first", "// second").by == PairOrder::By::Library);
  CHECK(order(sum, "// first", "// second").text ==
        "the barrier inside the library call at line " + at(sum, "// first"));
}

namespace {

std::vector<std::string> shortForms(const std::vector<OrderedConflict> &list) {
  std::vector<std::string> forms;
  for (const OrderedConflict &entry : list)
    forms.push_back(shortForm(entry.conflict) + " " + pairOrderName(entry.order.by));
  return forms;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("explain instruction: producers nearest first, consumers, and the answer") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n" // 10 to 16
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n"
                             "  pipe_barrier(PIPE_V);\n  TADD(d, a, b); // here\n  TADDS(c, d, 1.0f);\n"));
  InstructionExplanation explained = kernel.instruction("// here");
  CHECK(explained.kernel == "k");
  CHECK(explained.pipes == std::vector<Pipe>{Pipe::V});
  CHECK(shortForms(explained.producers) == Lines{"RAW 13 -> 15 barrier", "RAW 10 -> 15 flags"});
  CHECK(shortForms(explained.consumers) == Lines{"RAW 15 -> 16 nothing"});
  CHECK(explained.answer ==
        "TADD(d, a, b) runs on PIPE_V; it waits for 2 earlier instructions, and 1 later one waits for it: 1 of these "
        "NOT ORDERED");
}

TEST_CASE("explain instruction: kinds of one place stand together") {
  Explained kernel(fourTiles("  TADDS(a, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(a, a, 2.0f); // here\n"));
  const std::vector<OrderedConflict> &producers = kernel.instruction("// here").producers;
  REQUIRE(producers.size() == 1);
  REQUIRE(producers[0].meets.size() == 1);
  CHECK(producers[0].meets[0].kinds == Lines{"RAW", "WAR", "WAW"});
  CHECK(producers[0].meets[0].storage == "UB [0, 1024)");
}

TEST_CASE("explain instruction: the inside of a library call, and what the machine says of it") {
  std::string tiles = rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768);
  Explained sum(fourTiles(tiles + "  TROWSUM(s, x, t); // here\n"));
  InstructionExplanation explained = sum.instruction("// here");
  REQUIRE_FALSE(explained.library.empty());
  CHECK(explained.library.back().barrier);
  CHECK_FALSE(explained.libraryCounts);
  OptimizeOptions library;
  library.ordering.trust = Trust::Library;
  CHECK(Explained(sum.text, library).instruction("// here").libraryCounts);
}

TEST_CASE("explain instruction: on one of the pipes that sources name") {
  // TEXTRACT of a run-time region runs on V or S, sources differ.
  std::string region =
      tileIn("Vec", "w", "float", "4, 64", "-1, 64", "4096", "BLayout::RowMajor", "SLayout::NoneBox", "(n)");
  Explained kernel(
      fourTiles(region + "  TADDS(b, a, 1.0f); // here\n  pipe_barrier(PIPE_V);\n  TEXTRACT(w, b, 0, 0);\n"));
  InstructionExplanation explained = kernel.instruction("// here");
  CHECK(mentions(explained.answer, ": all ordered, but for 1 on a pipe that only some sources name"));
  CHECK(std::count_if(explained.consumers.begin(), explained.consumers.end(),
                      [](const OrderedConflict &entry) { return entry.order.disputed; }) == 1);
}

TEST_CASE("explain instruction: a call that nothing is known of, and one that occupies no pipe") {
  Explained unknown(fourTiles("  TADDS(a, b, 1.0f);\n  TFROBNICATE(a); // here\n"));
  InstructionExplanation explained = unknown.instruction("// here");
  REQUIRE(explained.remarks.size() == 1);
  CHECK(mentions(explained.remarks[0], "does not know this call"));
  CHECK(explained.accesses.empty()); // not one line for each memory
  CHECK(explained.pipes.size() == kPipeCount);
}

TEST_CASE("explain instruction: two calls of a helper are one explanation if the same holds for both") {
  std::string head = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
  auto kernel = [&](const std::string &first, const std::string &second) {
    return head + "static AICORE void add(uint64_t at) {\n" + rowsAt("p", 4, "at") + rowsAt("q", 4, "8192") +
           "  TADDS(q, p, 1.0f); // here\n  pipe_barrier(PIPE_V);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n  add(" +
           first + "); // one\n  add(" + second + "); // two\n}\n";
  };
  Explained different(kernel("0", "4096"));
  CHECK(different.at("// here").instructions.size() == 2);
  std::vector<InstructionExplanation> list = different.at("// here").instructions;
  CHECK(list[0].place.calledFrom == std::vector<std::uint32_t>{different.line("// one")});
  CHECK(list[1].place.calledFrom == std::vector<std::uint32_t>{different.line("// two")});
  std::vector<InstructionExplanation> equal(2, list[0]);
  equal[1].place.calledFrom = {99};
  mergeEqual(equal);
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].alsoAt == Lines{"kernel k, called from line 99"});
}

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

TEST_CASE("explain: each thing on a line") {
  Explained kernel(fourTiles("  TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); "
                             "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(b, a, 1.0f); // all\n"));
  Explanation all = kernel.at("// all");
  CHECK(all.syncs.size() == 1); // one web
  CHECK(all.instructions.size() == 2);
  CHECK(all.tiles.empty());
  CHECK(all.nearby.empty());
  Explanation declaration = kernel.atLine(kBodyLine);
  REQUIRE(declaration.tiles.size() == 1);
  CHECK(declaration.tiles[0].name == "a");
  CHECK(declaration.syncs.empty());
}

TEST_CASE("explain: a line with nothing says what is near, and whom it calls") {
  Explained kernel(fourTiles("  TLOAD(a, g); // load\n  int32_t m = n + 1; // empty\n\n  TADDS(b, a, 1.0f); // add\n"));
  Explanation nothing = kernel.at("// empty");
  CHECK(nothing.empty());
  REQUIRE(nothing.nearby.size() == 2);
  CHECK(nothing.nearby[0].line == kernel.line("// load"));
  CHECK(nothing.nearby[1].line == kernel.line("// add"));
  CHECK(nothing.nearby[1].text == "TADDS(b, a, 1.0f)");
  Explained call("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void add() {\n" +
                 rowsAt("p", 4, "0") +
                 "  TADDS(p, p, 1.0f); // in\n}\nextern \"C\" __global__ AICORE void k(__gm__ float *in) {\n"
                 "  add(); // call\n}\n");
  CHECK(call.at("// call").calls ==
        "it calls add, whose statements are on lines 4 to " + std::to_string(call.line("// in")));
}

TEST_CASE("explain: tiles by name, each declaration once") {
  Explained kernel("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void add() {\n" +
                   rowsAt("p", 4, "0") + // line 4
                   "  TADDS(p, p, 1.0f);\n}\nextern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
                   rowsAt("p", 4, "4096") + // line 8
                   "  TADDS(p, p, 1.0f);\n  add();\n  pipe_barrier(PIPE_V);\n  add();\n}\n");
  std::vector<TileExplanation> tiles = kernel.tile("p").tiles;
  std::vector<std::uint32_t> lines;
  for (const TileExplanation &tile : tiles)
    lines.push_back(tile.line);
  std::sort(lines.begin(), lines.end());
  // The helper's tile has one use in each of its two calls.
  CHECK(lines == std::vector<std::uint32_t>{4, 8});
  CHECK(kernel.tile("nobody").empty());
}

TEST_CASE("explain: a kernel that was not analysed says why") {
  Explained kernel(
      vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\n  pipe_barrier(PIPE_V); // sync\n"
                   "second:\n  n = n + 2;\n  if (n < 100) {\n    goto first;\n  }\n"));
  Explanation explanation = kernel.at("// sync");
  REQUIRE(explanation.skipped.size() == 1);
  CHECK(explanation.skipped[0].reason ==
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
  CHECK(explanation.syncs.at(0).answer == "Not analysed: kernel k was not analysed");
}

TEST_CASE("explain: every line of the corpus has something to say or names its neighbours") {
  std::size_t syncs = 0, instructions = 0, tiles = 0;
  for (const char *folder : {"flash_attention", "helper_call", "fifo_fences", "goto_while", "unknown_call"}) {
    Explained kernel(readText(corpusPath(std::string(folder) + "/kernel.cpp")));
    // One of every kind of line is enough; all of them take long.
    for (std::uint32_t line = 1; line <= kernel.module.source.lineCount(); line += 7) {
      INFO(folder << ":" << line);
      Explanation explanation = kernel.atLine(line);
      CHECK(explanation.empty() != explanation.nearby.empty());
      for (const SyncExplanation &sync : explanation.syncs)
        CHECK_FALSE(sync.answer.empty());
      syncs += explanation.syncs.size();
      instructions += explanation.instructions.size();
      tiles += explanation.tiles.size();
    }
  }
  CHECK(syncs > 10);
  CHECK(instructions > 10);
  CHECK(tiles > 10);
}
