// The proof of local slots against the replay, on random small consumers: what the one accepts, the other must.
#include "optimize/fifo_slots.h"

#include "ordering/analysis.h"
#include "patterns/catalogue.h"
#include "replay/relayout.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kType = "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>";

std::string bare(const std::string &name) {
  return "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
         "CompactMode::Null> " +
         name + ";\n";
}

/// Pops into three tiles, sums of what was popped, and flags back to the pops, in any order; some in a loop.
class Consumer {
public:
  explicit Consumer(unsigned seed) : random(seed) {}

  std::string text() {
    std::string body = rowsAt("a", 4, "0") + "  auto f = " + kType + "(in, 65536, 0);\n";
    for (const char *name : {"p", "q", "r"})
      body += bare(name);
    bool loop = pick(3) > 0;
    if (loop)
      body += "  for (int32_t i = 0; i < n; ++i) {\n";
    for (unsigned step = 0, steps = 4 + pick(6); step < steps; ++step)
      body += statement();
    return vectorKernel(body + (loop ? "  }\n" : ""));
  }

private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random() % below); }

  std::string flag(const char *pipes) {
    return "  set_flag(" + std::string(pipes) + ", EVENT_ID0);\n  wait_flag(" + pipes + ", EVENT_ID0);\n";
  }

  std::string statement() {
    const char *tile = kTiles[pick(3)];
    unsigned kind = pick(6);
    if (kind < 2 || popped.empty()) {
      popped.insert(tile);
      return "  TPOP<" + kType + ", decltype(" + tile + "), TileSplitAxis::TILE_NO_SPLIT>(f, " + tile + ");\n" +
             (pick(4) ? flag("PIPE_MTE2, PIPE_V") : "");
    }
    if (kind < 4)
      return flag("PIPE_V, PIPE_MTE2");
    if (!popped.count(tile))
      tile = *popped.begin();
    return "  pipe_barrier(PIPE_V);\n  TADD(a, a, " + std::string(tile) + ");\n";
  }

  static constexpr const char *kTiles[] = {"p", "q", "r"};
  std::mt19937 random;
  std::set<const char *> popped;
};

Module withSlots(const Module &module, std::int64_t count) {
  Module changed = module;
  for (Kernel &kernel : changed.kernels)
    for (Fifo &fifo : kernel.fifos)
      fifo.localSlots = count;
  return changed;
}

} // namespace

TEST_CASE("local slots: what is proved, the replay finds right") {
  constexpr unsigned kConsumers = 250;
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  unsigned proved = 0, wrong = 0, careful = 0;
  for (unsigned seed = 1; seed <= kConsumers; ++seed) {
    std::string text = Consumer(seed).text();
    Module module = lift(text);
    for (std::int64_t count : {1, 2, 3}) {
      INFO("seed " << seed << ", " << count << " slots\n" << text);
      llvm::Expected<std::vector<FifoDecision>> decisions =
          decideFifoSlots(module, machineOf("a3"), {*all.find("fifo-local-slots"), count}, {});
      bool accepted = bool(decisions) && !decisions->empty();
      if (!decisions)
        llvm::consumeError(decisions.takeError());
      replay::Relayout relayout =
          llvm::cantFail(replay::verifyRelayout(module, withSlots(module, count), machineOf("a3"), replay::Options{}));
      proved += accepted;
      wrong += !relayout.findings.empty();
      careful += !accepted && relayout.findings.empty();
      if (accepted)
        CHECK(relayout.findings.empty());
    }
  }
  // Both answers occur often, so agreement says something; and the proof is not much too careful.
  INFO(proved << " proved, " << wrong << " found wrong, " << careful << " right in all runs and not proved");
  CHECK(proved > 100);
  CHECK(wrong > 100);
  CHECK(careful < proved);
}
