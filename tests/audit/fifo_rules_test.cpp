#include "audit/audited.h"
#include "audit/fifo_rules.h"
#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// How often the marked TADDS runs; -1 if that is not one number.
std::int64_t times(const std::string &before, const std::string &after) {
  Analysed analysed(vectorKernel(rowsAt("a", 4, "0") + before + "  TADDS(a, a, 1.0f); // here\n" + after));
  return timesRun(*analysed.program, analysed.program->nodes[analysed.node("// here")].block).value_or(-1);
}

} // namespace

TEST_CASE("call count: loops with known trips multiply") {
  CHECK(times("", "") == 1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n", "  }\n") == 5);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  for (int32_t j = 0; j < 3; ++j) {\n", "  }\n  }\n") == 15);
}

TEST_CASE("call count: what depends on the run is not one number") {
  CHECK(times("  for (int32_t i = 0; i < n; ++i) {\n", "  }\n") == -1);
  CHECK(times("  if (n > 3) {\n", "  }\n") == -1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  if (n > i) {\n", "  }\n  }\n") == -1);
  CHECK(times("  for (int32_t i = 0; i < 5; ++i) {\n  if (n > i) { break; }\n", "  }\n") == -1);
}

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
Audited auditedFifo(const std::string &statements) { return Audited(shortTiles(kTile + statements)); }

const std::string kFifo = fifo("f", 0, 1024, 8, 2);

} // namespace

TEST_CASE("fifo-imbalance: pops and frees over paths and loops") {
  CHECK(auditedFifo(kFifo + pop() + release()).count("fifo-imbalance") == 0);
  CHECK(auditedFifo(kFifo + pop()).count("fifo-imbalance") == 0); // the tile form may need no free: none is counted
  CHECK(auditedFifo(kFifo + pop() + release() + pop()).severity("fifo-imbalance") == "warning");
  CHECK(auditedFifo(kFifo + pop() + release() + release()).severity("fifo-imbalance") == "warning");
  CHECK(auditedFifo(kFifo + "  for (int32_t i = 0; i < n; ++i) {\n" + pop() + release() + "  }\n")
            .count("fifo-imbalance") == 0);
  CHECK(auditedFifo(kFifo + pop() + "  for (int32_t i = 0; i < n; ++i) {\n" + pop() + release() + "  }\n" + release())
            .count("fifo-imbalance") == 0);
  CHECK(auditedFifo(kFifo + pop() + "  if (n > 2) {\n" + release() + "  }\n").severity("fifo-imbalance") == "note");
}

TEST_CASE("fifo-depth: tiles in use against local slots") {
  CHECK(auditedFifo(kFifo + pop() + pop() + release() + release()).count("fifo-depth") == 0);
  CHECK(auditedFifo(kFifo + pop() + pop() + pop() + release() + release() + release()).severity("fifo-depth") ==
        "error");
  CHECK(auditedFifo(kFifo + pop() + pop() + "  if (n > 2) {\n" + release() + "  }\n" + pop() + release() + release())
            .severity("fifo-depth") == "note");
}

TEST_CASE("fifo-depth: on a5 the producer writes into the ring of all slots, and the local ones do not count") {
  auto audited = [](int times) {
    std::string pops, frees;
    for (int i = 0; i < times; ++i) {
      pops += pop();
      frees += release();
    }
    return Audited(shortTiles(kTile + kFifo + pops + frees), "a5");
  };
  CHECK(audited(3).count("fifo-depth") == 0);
  CHECK(audited(8).count("fifo-depth") == 0);
  CHECK(audited(9).severity("fifo-depth") == "error");
}

TEST_CASE("fifo-depth: slots, rings and flags") {
  CHECK(auditedFifo(fifo("f", 0, 512, 8, 2) + pop() + release()).severity("fifo-depth") ==
        "error"); // the tile has 1024
  CHECK(auditedFifo(fifo("f", 0, 1024, 2, 4) + pop() + release()).severity("fifo-depth") ==
        "note");            // memory nobody uses
  std::string open = kTile; // as large, and how much of it is valid is known at run time
  open.replace(open.find("4, 64, SLayout"), 5, "-1, -1").replace(open.find("t;"), 2, "t(n, n);");
  CHECK(Audited(shortTiles(open + fifo("f", 0, 512, 8, 2) + pop() + release())).severity("fifo-depth") == "note");
  std::string both = pop("f") + release("f") + pop("e") + release("e");
  CHECK(auditedFifo(kFifo + fifo("e", 2, 1024, 8, 2) + both).count("fifo-depth") == 0);
  CHECK(auditedFifo(kFifo + fifo("e", 1, 1024, 8, 2) + both).severity("fifo-depth") == "warning");
}

TEST_CASE("fifo-depth: an entry that is used behind too many pops") {
  std::string second = "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, "
                       "PadValue::Null, CompactMode::Null> u;\n";
  auto popped = [](const std::string &tile) {
    return "  TPOP<decltype(f), decltype(" + tile + "), TileSplitAxis::TILE_NO_SPLIT>(f, " + tile + ");\n";
  };
  std::string use = "  TADD(a, a, t); // use\n";
  // The entry is freed, so nothing is counted as in use; its slot is filled all the same.
  std::string two = popped("t") + release() + popped("u") + release();
  CHECK(auditedFifo(second + kFifo + two + use).count("fifo-depth") == 0);
  Audited late = auditedFifo(second + kFifo + two + popped("u") + release() + use);
  CHECK(late.only("fifo-depth").severity == Severity::Error);
  CHECK(late.only("fifo-depth").place.line == lineOf(late.text, "// use"));
  CHECK(late.only("fifo-depth").message.find("behind 2 further pops, and the ring of popped tiles has 2 slots") !=
        std::string::npos);
  CHECK(auditedFifo(second + kFifo + two + "  if (n > 2) {\n" + popped("u") + release() + "  }\n" + use)
            .severity("fifo-depth") == "note");
}

TEST_CASE("fifo-depth: more entries held than the FIFO has slots") {
  auto tensors = [](const char *call, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
      text += std::string("  ") + call + "<decltype(f), decltype(g), TileSplitAxis::TILE_NO_SPLIT>(f, g);\n";
    return text;
  };
  std::string small = fifo("f", 0, 1024, 2, 2);
  CHECK(auditedFifo(small + tensors("TPOP", 2) + tensors("TFREE", 2)).count("fifo-depth") == 0);
  CHECK(auditedFifo(small + tensors("TPOP", 3) + tensors("TFREE", 3)).severity("fifo-depth") == "error");
  CHECK(auditedFifo(small + tensors("TALLOC", 2) + tensors("TPUSH", 2)).count("fifo-depth") == 0);
  CHECK(auditedFifo(small + tensors("TALLOC", 3) + tensors("TPUSH", 3)).severity("fifo-depth") == "error");
}

namespace {

/// A kernel of both cores: the cube part pushes, the vector part pops.
std::string bothCores(const std::string &pushes, const std::string &pops) {
  std::string type = "TPipe<0, Direction::DIR_C2V, 1024, 8, 2, true>";
  return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n"
         "#if defined(__DAV_CUBE__)\n  auto f = " +
         type + "(in, 65536, 0);\n" +
         tileIn("Acc", "c", "float", "16, 16", "16, 16", "0", "BLayout::ColMajor", "SLayout::RowMajor") + pushes +
         "#endif\n#if defined(__DAV_VEC__)\n  auto f = " + type + "(in, 65536, 0);\n" + kTile + pops +
         "#endif\n  pipe_barrier(PIPE_ALL);\n}\n";
}

} // namespace

TEST_CASE("fifo-imbalance: pushes of one core against pops of the other") {
  std::string push = "  TPUSH<decltype(f), decltype(c), TileSplitAxis::TILE_NO_SPLIT>(f, c);\n";
  auto times = [](const std::string &bound, const std::string &body) {
    return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + body + "  }\n";
  };
  std::string popFree = pop() + release();
  CHECK(Audited(bothCores(times("4", push), times("4", popFree))).count("fifo-imbalance") == 0);
  Audited more(bothCores(times("4", push), times("5", popFree)));
  CHECK(more.severity("fifo-imbalance") == "warning");
  CHECK(more.only("fifo-imbalance").message.find("pops 5 entries of f, the other pushes 4") != std::string::npos);
  CHECK(Audited(bothCores(push + push, popFree)).severity("fifo-imbalance") == "warning");
  // What arguments decide is not compared.
  CHECK(Audited(bothCores(times("n", push), times("5", popFree))).count("fifo-imbalance") == 0);
  CHECK(Audited(bothCores("  if (n > 2) {\n" + push + "  }\n", popFree)).count("fifo-imbalance") == 0);
}
