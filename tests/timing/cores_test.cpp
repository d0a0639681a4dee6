#include "timing/cores.h"
#include "timing/mixed_kernel.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "4<0 6<1": the fourth push, from 0, waits for the signal 0 of the other core.
std::string waits(const Joined &joined, std::size_t core, const std::string &name, const std::string &arch = "a3") {
  const timing::KernelTiming &timing = joined.cores->core(core);
  timing::FifoTraffic traffic =
      timing::followFifos(joined.cores->core(0), joined.cores->core(1), machineOf(arch), roundCosts(arch).fifo());
  REQUIRE(traffic.apart.empty());
  std::string text;
  std::size_t call = 0;
  auto junction = traffic.cores[core].begin();
  for (std::uint32_t i = 0; i < timing.plan().operations.size(); ++i) {
    const auto *instruction = std::get_if<Instruction>(&timing::statementOf(timing, i).action);
    if (!instruction || instruction->name != name)
      continue;
    while (junction != traffic.cores[core].end() && junction->operation < i)
      ++junction;
    if (junction != traffic.cores[core].end() && junction->operation == i && junction->waits != kNone)
      text += (text.empty() ? "" : " ") + std::to_string(call) + "<" + std::to_string(junction->number);
    ++call;
  }
  return text;
}

std::string roomOf(int slots) {
  Joined joined(mixedKernel(pushing("14", slots), popping("14", slots, kShortWork)));
  return waits(joined, timing::kCubeCore, "TPUSH");
}

std::string apart(const std::string &cube, const std::string &vec) {
  Joined joined(mixedKernel(cube, vec));
  REQUIRE(joined.cores);
  return joined.cores->apart();
}

void says(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("FIFO traffic: every pop waits for the push of its number") {
  Joined joined(mixedKernel(pushing("4", 2), popping("4", 2, kShortWork)));
  CHECK(waits(joined, timing::kVecCore, "TPOP") == "0<0 1<1 2<2 3<3");
}

TEST_CASE("FIFO traffic: room is asked for and given back in the library's groups") {
  CHECK(roomOf(1) == "1<0 2<1 3<2 4<3 5<4 6<5 7<6 8<7 9<8 10<9 11<10 12<11 13<12");
  CHECK(roomOf(2) == "2<0 4<1 6<2 8<3 10<4 12<5");                        // both slots at once
  CHECK(roomOf(3) == "3<0 4<1 5<2 6<3 7<4 8<5 9<6 10<7 11<8 12<9 13<10"); // one by one
  CHECK(roomOf(4) == "4<0 6<1 8<2 10<3 12<4");
  CHECK(roomOf(5) == "6<0 8<1 10<2 12<3"); // not at 5: no multiple of two
  CHECK(roomOf(8) == "8<0 12<1");
  CHECK(roomOf(16) == "");
}

TEST_CASE("FIFO traffic: an entry in global memory is given back by TFREE, and asked for by TALLOC") {
  auto call = [](const std::string &name) { return fifoCall(name, "f", "e"); };
  std::string ring = fifo("f", "DIR_C2V", 4) + slot("e"), load = "    TLOAD(t, e);\n";
  std::string stores = ring + accumulator("c") + times("8", call("TALLOC") + "    TSTORE(e, c);\n" + call("TPUSH"));
  std::string pushes = ring + accumulator("c") + times("8", call("TPUSH"));
  std::string loadsInto = ring + tile("t", "float", 16, 64, 0);
  std::string loads = loadsInto + times("8", call("TPOP") + load + call("TFREE"));
  Joined joined(mixedKernel(stores, loads));
  CHECK(waits(joined, timing::kCubeCore, "TALLOC") == "4<0 6<1");
  CHECK(waits(joined, timing::kCubeCore, "TPUSH") == "");
  says(apart(pushes, loads), "entries allocated: 0, pushed: 8");
  std::string pairs = times("4", call("TPOP") + call("TPOP") + call("TFREE") + call("TFREE"));
  says(apart(stores, loadsInto + pairs), "given back out of step with the pops");
  says(apart(stores, loadsInto + times("8", call("TPOP") + load)), "entries popped: 8, given back: 0");
}

TEST_CASE("FIFO traffic: a direction is a side, and both directions are two rings") {
  std::string vecPushes = fifo("f", "DIR_C2V", 2) + tile("t", "float", 16, 64, 0) + fifoCall("TPUSH", "f", "t");
  says(apart(pushing("1", 2), vecPushes), "this core is on the other side of it");
  std::string mat = "  Tile<TileType::Mat, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 512, "
                    "PadValue::Null, CompactMode::Null> m;\n";
  std::string cube = fifo("f", "DIR_BOTH", 2) + accumulator("c") + mat + fifoCall("TPUSH", "f", "c") +
                     fifoCall("TPOP", "f", "m") + fifoCall("TFREE", "f");
  std::string vec = fifo("f", "DIR_BOTH", 2) + popped("t") + fifoCall("TPOP", "f", "t") + fifoCall("TFREE", "f") +
                    fifoCall("TPUSH", "f", "t");
  CHECK(apart(cube, vec) == "");
}

TEST_CASE("FIFO traffic: what cannot be matched is said and not matched") {
  says(apart(pushing("4", 2), popping("3", 2, kShortWork)), "entries pushed: 4, popped: 3");
  says(apart(pushing("4", 2), popping("4", 4, kShortWork)), "are not the same FIFO");
  says(apart(times("4", fifo("f", "DIR_C2V", 2) + accumulator("c") + fifoCall("TPUSH", "f", "c")),
             popping("4", 2, kShortWork)),
       "is not constructed exactly once");
  std::string second = fifo("g", "DIR_C2V", 2, 1) + fifoCall("TPUSH", "g", "c");
  says(apart(pushing("4", 2) + second,
             popping("4", 2, kShortWork) + fifo("g", "DIR_C2V", 2, 1) + fifoCall("TPOP", "g", "t")),
       "use the same flags");
  says(apart(pushing("4", 2), "  wait_flag_dev(7);\n" + popping("4", 2, kShortWork)),
       "wait_flag_dev signals between the cores without a FIFO");
}

TEST_CASE("FIFO traffic: who meets the other core") {
  Module module = lift(mixedKernel(pushing("1", 2), tile("t", "float", 16, 64, 0) + "  TADDS(t, t, 1.0f);\n"));
  CHECK(timing::meetsOtherCore(*findKernel(module, "k", Section::Cube), machineOf("a3")));
  CHECK_FALSE(timing::meetsOtherCore(*findKernel(module, "k", Section::Vec), machineOf("a3")));
}

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
