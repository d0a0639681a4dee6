#include "replay/run/work.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const Work &workOf(const Replayed &kernel, std::size_t instance) {
  return kernel.subject->works[kernel.trace.instances[instance].work];
}

std::string places(const Replayed &kernel, std::size_t instance) {
  std::string text;
  for (const replay::Phase &phase : workOf(kernel, instance).phases)
    for (const replay::Access &access : phase.accesses)
      text += (access.writes ? access.reads ? "rw " : "w " : "r ") + kernel.rules.describe(access.bytes) + "; ";
  return text;
}

const std::string kDynamic = "  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, "
                             "PadValue::Null, CompactMode::Null> d(rows); TASSIGN(d, (uint64_t) 0);\n";

} // namespace

TEST_CASE("replay: bytes of tiles at their addresses") {
  Replayed kernel(
      vectorKernel(tile("v1", "float", 16, 64, 4096) + tile("v2", "float", 16, 64, 8192) + "  TEXP(v1, v2);\n"));
  kernel.run();
  CHECK(places(kernel, 0) == "w UB [4096, 8192); r UB [8192, 12288); ");
  const replay::Access &written = workOf(kernel, 0).phases[0].accesses[0];
  CHECK(written.exact);
  CHECK(written.repeats == 16);
}

TEST_CASE("replay: a valid region that is the same in every run counts, one that an argument decides does not") {
  Replayed fixed(vectorKernel("  int32_t rows = 4;\n" + kDynamic + "  TEXP(d, d);\n"));
  fixed.run();
  CHECK(places(fixed, 0) == "w UB [0, 1024); r UB [0, 1024); ");
  CHECK(workOf(fixed, 0).phases[0].accesses[0].exact);
  Replayed given(vectorKernel("  int32_t rows = n;\n" + kDynamic + "  TEXP(d, d);\n"));
  given.runWith(4);
  CHECK(places(given, 0) == "w UB [0, 4096); r UB [0, 4096); ");
  CHECK_FALSE(workOf(given, 0).phases[0].accesses[0].exact);
}

TEST_CASE("replay: an address that memory decides stands for any place of its memory") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  __gm__ int32_t *table = (__gm__ int32_t *) in;\n"
                               "  TASSIGN(v1, (uint64_t) table[0]);\n  TEXP(v1, v1);\n  out[table[1]] = 1.0f;\n"));
  kernel.run();
  CHECK(places(kernel, 1) == "w 4096 bytes of UB at a place that memory or an argument decides; r 4096 bytes of UB at "
                             "a place that memory or an argument decides; ");
  CHECK(places(kernel, 3) == "w 4 bytes of GM of argument 2 at a place that memory or an argument decides; ");
}

TEST_CASE("replay: equal executions share their work, and renamed variables do the same") {
  Replayed kernel(
      vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 0) + tile("v3", "float", 16, 64, 4096) +
                   "  for (int32_t i = 0; i < 2; i += 1) TEXP(v1, v1);\n  TEXP(v2, v2);\n  TEXP(v3, v3);\n"));
  const Trace &trace = kernel.run();
  CHECK(trace.instances[0].work == trace.instances[1].work);
  CHECK(trace.instances[0].work != trace.instances[2].work);
  CHECK(sameWork(workOf(kernel, 0), workOf(kernel, 2)));
  CHECK_FALSE(sameWork(workOf(kernel, 0), workOf(kernel, 3)));
}

TEST_CASE("replay: other literals, and other values of scalar operands, are other work") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  TADDS(v1, v1, 1.0f);\n  TADDS(v1, v1, 2.0f);\n"
                               "  v1.SetValue(n, 1.0f);\n  v1.SetValue(n + 1, 1.0f);\n"));
  kernel.run();
  CHECK_FALSE(sameWork(workOf(kernel, 0), workOf(kernel, 1)));
  CHECK_FALSE(sameWork(workOf(kernel, 2), workOf(kernel, 3)));
}

TEST_CASE("replay: the phases of a library call count with library trust only") {
  std::string text = vectorKernel(tile("v1", "float", 16, 64, 0) + columnTile("v2", "float", 16, 4096) +
                                  "  TROWEXPANDDIV(v1, v1, v2);\n");
  Replayed tileTrust(text);
  tileTrust.run();
  CHECK(workOf(tileTrust, 0).phases.size() == 1);
  Options options;
  options.trust = Trust::Library;
  Replayed libraryTrust(text, options);
  libraryTrust.run();
  REQUIRE(workOf(libraryTrust, 0).phases.size() == 3);
  CHECK(workOf(libraryTrust, 0).phases[1].barrier);
}

TEST_CASE("replay: copies become fences with strict copies") {
  std::string text =
      vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + "  TMOV(v1, v2);\n");
  Options strict;
  strict.strictCopies = true;
  Replayed kernel(text, strict);
  kernel.run();
  CHECK(workOf(kernel, 0).fence == FenceKind::All);
  CHECK(workOf(kernel, 0).phases.size() == kPipeCount);
  Replayed plain(text);
  plain.run();
  CHECK(workOf(plain, 0).fence == FenceKind::None);
}

TEST_CASE("replay: pops walk round the consumer's ring") {
  Replayed kernel(
      "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
      "extern \"C\" __global__ AICORE void k(__gm__ float *ring) {\n"
      "  auto fifo = TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>(ring, 8192, 0);\n"
      "  for (int32_t i = 0; i < 3; i += 1) {\n"
      "    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, "
      "CompactMode::Null> t;\n    TPOP<TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>, decltype(t), "
      "TileSplitAxis::TILE_NO_SPLIT>(fifo, t);\n    TEXP(t, t);\n  }\n}\n");
  kernel.run();
  CHECK(places(kernel, 1) == "w UB [8192, 12288); r UB [8192, 12288); ");
  CHECK(places(kernel, 3) == "w UB [12288, 16384); r UB [12288, 16384); ");
  CHECK(places(kernel, 5) == places(kernel, 1));
}

TEST_CASE("replay: a pop of a tensor is counted, and behind a pop of no known form the ring's place is not known") {
  const std::string pipe = "TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>";
  const auto with = [&](const std::string &between) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *ring) {\n  auto fifo = " +
           pipe + "(ring, 8192, 0);\n" + tile("t", "float", 16, 64, 0) + tile("u", "float", 16, 64, 4096) +
           "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> "
           "g(ring);\n" +
           between + "  TPOP<" + pipe + ", decltype(t), TileSplitAxis::TILE_NO_SPLIT>(fifo, t);\n  TEXP(t, t);\n}\n";
  };
  Replayed counted(with("  TPOP<" + pipe + ", decltype(g), TileSplitAxis::TILE_NO_SPLIT>(fifo, g);\n"));
  counted.run();
  CHECK(places(counted, counted.trace.instances.size() - 1) == "w UB [12288, 16384); r UB [12288, 16384); ");
  Replayed open(with("  Event<Op::TLOAD, Op::TADD> e, f;\n  TPOP<" + pipe +
                     ", decltype(u), TileSplitAxis::TILE_NO_SPLIT>(fifo, u, e, f);\n"));
  open.run();
  CHECK(places(open, open.trace.instances.size() - 1).find("12288") == std::string::npos);
}
