#include "timing/cores.h"

#include "timing/mixed_kernel.h"

using namespace ptosync;
using namespace ptosync::test;
using timing::kCubeCore;
using timing::kVecCore;

namespace {

struct Totals {
  double cycles, cubeIdle, vecIdle;
};

/// What three depths come to, by hand; see the corpus case's README.
void holds(const Joined &joined, const Totals &expected) {
  REQUIRE(joined.cores);
  REQUIRE(joined.cores->apart() == "");
  timing::CoresEstimate estimate = joined.cores->estimate();
  CHECK(estimate.cycles == Approx(expected.cycles));
  CHECK(estimate.limit == Approx(expected.cycles)); // no sync holds what the data and the ring do not
  CHECK(estimate.cores[kCubeCore].alone == Approx(8 * (100 + 20)));
  CHECK(estimate.cores[kVecCore].alone == Approx(8 * (50 + 10 + 30)));
  CHECK(estimate.cores[kCubeCore].idle == Approx(expected.cubeIdle).margin(0.01));
  CHECK(estimate.cores[kVecCore].idle == Approx(expected.vecIdle));
}

} // namespace

TEST_CASE("cores: a shallow ring throttles the producer, a deep one does not") {
  std::string text = readText(corpusPath("fifo_depth/kernel.cpp"));
  Joined one(text, {}, "a3", 0), two(text, {}, "a3", 1), four(text, {}, "a3", 2);
  CHECK(one.cores->name() == "depth_one");
  // An entry is there 120 after its push began, and given back 60 later: only then the next push begins, at 180. The
  // last sum is 30 behind its pop. The cube core is idle from 120 to 180 seven times, the vec core until 120, and then
  // from the end of each sum, 90 behind its pop, to the next one, 180 behind it.
  holds(one, {7 * 180 + 180 + 30, 7 * 60, 120 + 7 * 90});
  // Two pushes at 0 and 120, one accumulator: the second one is there at 240, and given back, with both slots, at 300:
  // two entries in 300.
  holds(two, {3 * 300 + 300 + 30, 3 * 60, 120 + 30 + 3 * (90 + 30)});
  // Slots are given back two at a time at 300, 540, ... and asked for at 480, 720, ...: never waited for.
  holds(four, {7 * 120 + 180 + 30, 0, 120 + 7 * 30});
}

TEST_CASE("cores: each push waits for the pop that gives its own slot back, no other") {
  Joined joined(mixedKernel(pushing("7", 3), popping("7", 3, kLongWork)));
  REQUIRE(joined.cores->apart() == "");
  // The consumer takes 260 an entry; pop k loads from 120 + 260 k, push k + 3 begins 60 behind that.
  CHECK(joined.starts(kVecCore, "TPOP") == std::vector<double>{120, 380, 640, 900, 1160, 1420, 1680});
  CHECK(joined.starts(kCubeCore, "TPUSH") == std::vector<double>{0, 100, 200, 300, 440, 700, 960});
}

TEST_CASE("cores: a store and a load between the calls of a FIFO in global memory") {
  std::string begin = fifo("f", "DIR_C2V", 1) + slot("e");
  std::string store = fifoCall("TALLOC", "f", "e") + "    TSTORE(e, c);\n" + fifoCall("TPUSH", "f", "e");
  std::string load = fifoCall("TPOP", "f", "e") + "    TLOAD(t, e);\n" + fifoCall("TFREE", "f", "e");
  Joined joined(mixedKernel(begin + accumulator("c") + times("4", store),
                            begin + tile("t", "float", 16, 64, 0) + times("4", load)));
  REQUIRE(joined.cores->apart() == "");
  CHECK(joined.starts(kCubeCore, "TSTORE") == std::vector<double>{0, 180, 360, 540});
  CHECK(joined.starts(kVecCore, "TLOAD") == std::vector<double>{120, 300, 480, 660});
  CHECK(joined.run().cycles() == Approx(720));
}

TEST_CASE("cores: every iteration is run, or the cores are timed apart") {
  std::string text = mixedKernel(pushing("100", 1), popping("100", 1, kShortWork));
  TimedModule alone(text);
  CHECK(alone.kernels.at(0).plan().extrapolated);
  Joined joined(text);
  REQUIRE(joined.cores->apart() == "");
  CHECK_FALSE(joined.cores->core(kCubeCore).plan().extrapolated);
  CHECK(joined.cores->estimate().cycles == Approx(99 * 180 + 210));
  replay::Options little;
  little.budget.instructions = 150;
  Joined cut(text, little);
  CHECK(cut.cores->apart() == "the run of the vec core is too long to run every iteration of it");
}

TEST_CASE("cores: those that would wait for each other for ever are timed apart") {
  std::string mat = "  Tile<TileType::Mat, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 512, "
                    "PadValue::Null, CompactMode::Null> m;\n";
  std::string rings = fifo("f", "DIR_C2V", 2) + fifo("g", "DIR_V2C", 2, 2);
  std::string cubePops = fifoCall("TPOP", "g", "m") + fifoCall("TFREE", "g");
  std::string cubePushes = fifoCall("TPUSH", "f", "c");
  std::string vec =
      rings + popped("t") + fifoCall("TPOP", "f", "t") + fifoCall("TFREE", "f") + fifoCall("TPUSH", "g", "t");
  Joined right(mixedKernel(rings + accumulator("c") + mat + cubePushes + cubePops, vec));
  CHECK(right.cores->apart() == "");
  CHECK(right.starts(kVecCore, "TPOP") == std::vector<double>{120});
  CHECK(right.starts(kCubeCore, "TPOP") == std::vector<double>{180}); // pushing takes no time there, from 180 on
  Joined stuck(mixedKernel(rings + accumulator("c") + mat + cubePops + cubePushes, vec));
  CHECK(stuck.cores->apart().rfind("each core would wait for the other, the cube core at line ", 0) == 0);
}

TEST_CASE("cores: a wait holds the whole core on a3, its own pipe alone on a5") {
  std::string vec = fifo("f", "DIR_C2V", 2) + popped("t") + tile("s", "float", 16, 64, 65536) + tensor("g", "in", "0") +
                    fifoCall("TPOP", "f", "t") + kShortWork + fifoCall("TFREE", "f") + "  TLOAD(s, g);\n";
  for (const char *arch : {"a3", "a5"}) {
    Joined joined(mixedKernel(pushing("1", 2), vec), {}, arch);
    REQUIRE(joined.cores->apart() == "");
    bool holdsCore = std::string(arch) == "a3";
    CHECK(joined.starts(kVecCore, "TADD")[0] >= 120);
    REQUIRE(joined.run().waits.size() == 1);
    timing::CoreWait wait = joined.run().waits[0];
    CHECK(wait.core == kVecCore);
    CHECK(wait.pipe == (holdsCore ? Pipe::S : Pipe::V));
    CHECK(wait.to == Approx(120));
  }
}

TEST_CASE("cores: no run of both is shorter than its limit, or than one core alone") {
  for (const char *name : {"flash_attention", "fifo_depth"}) {
    Joined joined(readText(corpusPath(std::string(name) + "/kernel.cpp")));
    REQUIRE(joined.cores->apart() == "");
    timing::CoresEstimate estimate = joined.cores->estimate();
    CHECK(estimate.limit <= estimate.cycles + 1e-6);
    for (const timing::CoreEstimate &core : estimate.cores) {
      CHECK(core.alone <= core.together + 1e-6);
      CHECK(core.together <= estimate.cycles);
      CHECK(core.idle < core.together);
    }
  }
}

TEST_CASE("cores: which kernels of a file are one") {
  auto pairsOf = [](const std::string &text) {
    Module module = lift(text);
    std::string names;
    for (const timing::CorePair &pair : timing::corePairs(module.kernels, machineOf("a3")))
      names += pair.name() + ";";
    return names;
  };
  auto named = [](std::string text, const std::string &name) {
    return text.replace(text.find("void k("), 6, "void " + name);
  };
  std::string both = mixedKernel(pushing("2", 2), popping("2", 2, kShortWork));
  std::string aic = named(mixedKernel(pushing("2", 2), ""), "k_aic"),
              aiv = mixedKernel("", popping("2", 2, kShortWork));
  std::string declarations = "using namespace pto;\n";
  auto body = [&](const std::string &text) { return text.substr(text.find(declarations) + declarations.size()); };
  CHECK(pairsOf(both) == "k;");
  CHECK(pairsOf(aic + body(named(aiv, "k_aiv"))) == "k_aic and k_aiv;");
  CHECK(pairsOf(aic + body(named(aiv, "other_aiv"))) == "");
  CHECK(pairsOf(mixedKernel("", popping("2", 2, kShortWork))) == ""); // nothing on the other core
  std::string pushes = named(mixedKernel(pushing("n", 2), ""), "k_aic"),
              pops = body(named(mixedKernel("", popping("n", 2, kShortWork)), "k_aiv")),
              last = "__gm__ float *out, int32_t n";
  CHECK(Joined(pushes + pops).cores->apart() == "");
  pops.replace(pops.find(last), last.size(), "int32_t n, __gm__ float *out");
  CHECK(Joined(pushes + pops).cores->apart() == "the two functions do not take the same arguments");
  std::string adds = tile("t", "float", 16, 64, 0) + "  TADDS(t, t, 1.0f);\n";
  CHECK(pairsOf(mixedKernel(adds, adds)) == "");              // they never meet
  CHECK(pairsOf(mixedKernel(pushing("2", 2), adds)) == "k;"); // and are said to be apart
}

TEST_CASE("cores: the timeline of a core shows what it waits for") {
  Joined joined(mixedKernel(pushing("2", 1), popping("2", 1, kShortWork)));
  timing::CoresRun run = joined.run();
  timing::Timeline cube = timing::makeTimeline(joined.cores->core(kCubeCore).plan(), run, kCubeCore);
  std::vector<timing::TimelineSlice> stalls;
  for (const timing::TimelineSlice &slice : cube.slices)
    if (slice.held == timing::Held::Core && slice.kind == timing::TimelineSlice::Kind::Stall)
      stalls.push_back(slice);
  REQUIRE(stalls.size() == 2); // the scalar unit from where it came there, FIX from where it was free
  CHECK(stalls[0].pipe == Pipe::S);
  CHECK(stalls[0].start == Approx(0));
  CHECK(stalls[0].end == Approx(180));
  CHECK(stalls[1].pipe == Pipe::FIX);
  CHECK(stalls[1].start == Approx(100));
  CHECK(stalls[1].end == Approx(180));
}
