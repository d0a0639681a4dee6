#include "optimize/fifo_slots.h"

#include "ordering/analysis.h"
#include "patterns/catalogue.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

RewriteRequest request(std::optional<std::int64_t> count = std::nullopt) {
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  return {*all.find("fifo-local-slots"), count};
}

/// A loop that pops tiles of 1 KiB into a ring of `local` slots at `ring`, with or without the flag back.
std::string popLoop(unsigned local, const std::string &ring, bool flagBack, const std::string &more = "") {
  std::string type = "TPipe<0, Direction::DIR_C2V, 1024, 8, " + std::to_string(local) + ", true>";
  std::string wait = "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n",
              set = "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n";
  return vectorKernel(
      rowsAt("a", 4, "0") + more + "  auto f = " + type + "(in, " + ring + ", 0);\n" + (flagBack ? set : "") +
      "  for (int32_t i = 0; i < n; ++i) {\n    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, "
      "SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t;\n" +
      (flagBack ? wait : "") + "    TPOP<" + type + ", decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n" +
      "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
      "    pipe_barrier(PIPE_V);\n    TADD(a, a, t);\n" +
      (flagBack ? set : "") + "  }\n" + (flagBack ? wait : ""));
}

std::vector<FifoDecision> decide(const std::string &text, const RewriteRequest &asked) {
  Module module = lift(text);
  llvm::Expected<std::vector<FifoDecision>> decisions = decideFifoSlots(module, machineOf("a3"), asked, {});
  if (!decisions)
    throw std::runtime_error(llvm::toString(decisions.takeError()));
  return *decisions;
}

std::string refusalOf(const std::string &text, std::int64_t count) {
  try {
    decide(text, request(count));
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("local slots: the fewest that are proved, within the pattern's bounds") {
  FifoDecision decision = decide(popLoop(8, "65536", true), request()).at(0);
  CHECK(decision.localSlots == 2);
  CHECK(decision.inUse == 1);
  CHECK(decision.ringBegin == 65536);
  CHECK(decision.ringBytes() == 2048);
  CHECK(decision.evidence.size() == 3);
  CHECK(decide(popLoop(2, "65536", true), request()).empty()); // fewer than the pattern asks for
}

TEST_CASE("local slots: a pop that nothing holds back keeps its ring") {
  FifoDecision decision = decide(popLoop(8, "65536", false), request()).at(0);
  CHECK_FALSE(decision.changed());
  CHECK(decision.reason.find("would not be ordered") != std::string::npos);
}

TEST_CASE("local slots: a tile of others in the ring, and a ring beyond its memory") {
  std::string neighbour = rowsAt("z", 4, "66560"); // the second slot
  FifoDecision crowded = decide(popLoop(8, "65536", true, neighbour + "  TADDS(z, z, 1.0f);\n"), request()).at(0);
  CHECK_FALSE(crowded.changed());
  CHECK(crowded.reason.find("has z: UB [66560, 67584)") != std::string::npos);
  FifoDecision beyond = decide(popLoop(8, "195584", true), request()).at(0); // one slot is left
  CHECK_FALSE(beyond.changed());
  CHECK(beyond.reason.find("UB has 196608 bytes") != std::string::npos);
}

TEST_CASE("local slots: a given count is taken or refused in numbers") {
  CHECK(decide(popLoop(8, "65536", true), request(5)).at(0).localSlots == 5);
  CHECK(refusalOf(popLoop(4, "65536", true), 9).find("the FIFO has 8 slots in all") != std::string::npos);
  std::string text = refusalOf(popLoop(8, "194560", true), 4); // two slots fit
  CHECK(text.find("cannot have 4 local slots") != std::string::npos);
  CHECK(text.find("UB [194560, 198656)") != std::string::npos);
}

TEST_CASE("local slots: more than before must fit as well") {
  CHECK(decide(popLoop(4, "65536", true), request(6)).at(0).localSlots == 6);
  std::string neighbour = rowsAt("z", 4, "70656"); // the sixth slot
  CHECK(refusalOf(popLoop(4, "65536", true, neighbour + "  TADDS(z, z, 1.0f);\n"), 6).find("has z") !=
        std::string::npos);
}

TEST_CASE("local slots: a ring whose place is not known stays") {
  FifoDecision decision = decide(popLoop(8, "n", true), request()).at(0);
  CHECK_FALSE(decision.changed());
  CHECK(decision.reason.find("does not lie at one known place") != std::string::npos);
}

TEST_CASE("local slots: an unknown call may use the ring") {
  std::string text = popLoop(8, "65536", true, "  TMYSTERY(a);\n");
  FifoDecision decision = decide(text, request()).at(0);
  CHECK_FALSE(decision.changed());
}

TEST_CASE("local slots: tensors are not popped into the local ring") {
  std::string type = "TPipe<0, Direction::DIR_C2V, 131072, 8, 8, true>";
  std::string text = vectorKernel(tensorAt("g", "in") + "  auto f = " + type + "(in, 0, 0);\n  TPOP<" + type +
                                  ", decltype(g), TileSplitAxis::TILE_NO_SPLIT>(f, g);\n  TFREE<" + type +
                                  ", decltype(g), TileSplitAxis::TILE_NO_SPLIT>(f, g);\n");
  FifoDecision decision = decide(text, request()).at(0);
  CHECK(decision.localSlots == 2);
  CHECK_FALSE(decision.popsTiles);
}

TEST_CASE("local slots: another operand of an instruction that uses an entry lies in the ring") {
  std::string text = popLoop(8, "65536", true, rowsAt("z", 4, "66560")); // the second slot
  std::string sum = "    TADD(a, a, t);\n";
  text.replace(text.find(sum), sum.size(), "    TMUL(t, t, z);\n    pipe_barrier(PIPE_V);\n" + sum);
  FifoDecision decision = decide(text, request()).at(0);
  CHECK_FALSE(decision.changed());
  CHECK(decision.reason.find("has z: UB [66560, 67584)") != std::string::npos);
}
