#include "synthesis/sync_places.h"

#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct PlacedText {
  explicit PlacedText(const std::string &text)
      : module(lift(text)), tree(llvm::cantFail(StatementTree::read(module.kernels[0]))),
        program(llvm::cantFail(buildProgram(module.kernels[0], machineOf("a3"), {}))),
        places(module.kernels[0], tree, module.source, program) {}

  /// The texts beside the places: what stands behind them, or "..." and the end of what stands in front.
  std::set<std::string> beside(SyncKind kind, Pipe pipe) const {
    std::set<std::string> texts;
    for (const TextPlace &place : places.forFlag(kind, pipe, {})) {
      const BraceList::Child &child = tree.lists()[place.list].children[place.child];
      const std::string &text = module.source.text();
      texts.insert(place.behind
                       ? "behind " + text.substr(child.begin, text.find_first_of("(;", child.begin) - child.begin)
                       : "before " + text.substr(child.begin, text.find_first_of("(;", child.begin) - child.begin));
    }
    return texts;
  }

  Module module;
  StatementTree tree;
  Program program;
  SyncPlaces places;
};

} // namespace

TEST_CASE("sync places: a set stands behind what runs on its pipe, a wait in front; both beside loops") {
  PlacedText placed(loopKernel({}));
  std::set<std::string> sets = placed.beside(SyncKind::SetFlag, Pipe::MTE2);
  CHECK(sets.count("behind TLOAD"));
  CHECK(sets.count("before for "));
  CHECK_FALSE(sets.count("behind TADDS"));
  std::set<std::string> waits = placed.beside(SyncKind::WaitFlag, Pipe::V);
  CHECK(waits.count("before TADDS"));
  CHECK(waits.count("behind for "));
  CHECK_FALSE(waits.count("before TSTORE"));
}

TEST_CASE("sync places: nothing stands between a keep comment and its sync") {
  LoopSyncs syncs;
  syncs.store = "    // ptosync: keep(timing)\n    pipe_barrier(PIPE_V);\n";
  PlacedText placed(loopKernel(syncs));
  CHECK_FALSE(placed.beside(SyncKind::WaitFlag, Pipe::V).count("before pipe_barrier"));
  std::size_t barrier = placed.module.source.text().find("pipe_barrier(PIPE_V)");
  CHECK_FALSE(placed.places.inFrontOf(static_cast<std::uint32_t>(barrier)));
}

TEST_CASE("sync places: an expression is not copied in front of what gives its names a value") {
  PlacedText placed(vectorKernel("  int32_t a = n % 2;\n  int32_t b = 0;\n  use(a, b);\n  b = a;\n  use(b, a);\n"));
  TextPlace first{0, 0, false, 0}, second{0, 1, false, 0}, third{0, 2, false, 0};
  CHECK(placed.places.definesBehind(first, 4, "(event_t)a"));
  CHECK_FALSE(placed.places.definesBehind(second, 3, "(event_t)a"));
  CHECK(placed.places.definesBehind(second, 4, "(event_t)a")); // only read there, but that is not looked at
  CHECK(placed.places.definesBehind(third, 4, "ids[b]"));
  CHECK_FALSE(placed.places.definesBehind(third, 3, "b"));
}
