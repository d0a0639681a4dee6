#include "timing/fifo_traffic.h"

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
