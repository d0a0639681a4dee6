#include "synthesis/fixed.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

TEST_CASE("no flag is put beside an event whose id the run gives out") {
  Module module = lift(serialLoop());
  CHECK(idsOfTheRun(module) == std::nullopt);
  REQUIRE(resynced(module).kernels[0].changed);
  module.sites[0].namedId = true;
  ResyncResult result = resynced(module);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.decisions.added.empty());
  CHECK(result.kernels[0].reason == "the run gives out the id of the event on line " +
                                        std::to_string(module.sites[0].line) + ", which a new flag might take as well");
}

using namespace ptosync::synthesis;

namespace {

/// The paths of the instructions, in the order in which they stand in the blocks.
std::vector<TreePath> paths(const Module &module) {
  const Kernel &kernel = module.kernels.front();
  StatementTree tree = llvm::cantFail(StatementTree::read(kernel));
  std::vector<TreePath> result;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action);
          instruction && instruction->name[0] == 'T')
        result.push_back(tree.pathOf(statement));
  return result;
}

std::string withHelper(const std::string &calls) {
  std::string kernel = vectorKernel(tile("v1", "float", 8, 64, 0) + calls);
  std::string helper = "template <typename Tile> AICORE inline void help(Tile &t) {\n  TADDS(t, t, 1.0f);\n}\n"
                       "template <typename Tile> AICORE inline void other(Tile &t) {\n  TMULS(t, t, 2.0f);\n}\n";
  return kernel.insert(kernel.find("extern"), helper);
}

} // namespace

TEST_CASE("instructions of a loop are one list deeper than the body") {
  Module module = lift(serialLoop());
  std::vector<TreePath> found = paths(module);
  REQUIRE(found.size() == 3);
  for (const TreePath &path : found)
    CHECK(path.size() == 2);
  CHECK(found[0].back().child < found[1].back().child);
}

TEST_CASE("a helper that is called once has a list inside the call, one that is called twice has none") {
  std::vector<TreePath> once = paths(lift(withHelper("  help(v1);\n")));
  REQUIRE(once.size() == 1);
  CHECK(once[0].size() == 2);
  std::vector<TreePath> twice = paths(lift(withHelper("  help(v1);\n  help(v1);\n")));
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].size() == 1);
  CHECK(twice[0] != twice[1]);
}

TEST_CASE("a helper's body is inside its own call, whatever else stands on the line") {
  std::vector<TreePath> lines = paths(lift(withHelper("  help(v1);\n  other(v1);\n")));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0][0].child + 1 == lines[1][0].child);
  CHECK(paths(lift(withHelper("  help(v1); other(v1);\n"))) == lines);
}

TEST_CASE("a body that is not followed is named") {
  Module module =
      lift(vectorKernel(tile("v1", "float", 8, 64, 0) + "  if (n > 0) goto out;\n  TADDS(v1, v1, 1.0f);\nout:\n  ;\n"));
  llvm::Expected<StatementTree> tree = StatementTree::read(module.kernels.front());
  REQUIRE_FALSE(static_cast<bool>(tree));
  CHECK(llvm::toString(tree.takeError()).find("'goto' is not followed") != std::string::npos);
}

using namespace ptosync::synthesis;

namespace {

/// "MTE2 -> V", "V -> MTE2 round": what must be ordered, syncs aside.
std::vector<std::string> required(const std::string &text) {
  Module module = lift(text);
  StatementTree places = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, places, machineOf("a3"), {}));
  CHECK(order.complete);
  CHECK(order.unplaced == 0);
  std::vector<std::string> result;
  for (const RequiredPair &pair : order.pairs)
    result.push_back(std::string(pipeName(pair.source)).substr(5) + " -> " +
                     std::string(pipeName(pair.destination)).substr(5) + (pair.carried ? " round" : ""));
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

TEST_CASE("the required order is that of the bytes, however the kernel is synchronised") {
  std::vector<std::string> expected = {"MTE2 -> V", "MTE3 -> V round", "V -> MTE2 round", "V -> MTE3"};
  for (const std::string &text : {serialLoop(), overlappedLoop(), loopKernel({})}) {
    std::vector<std::string> found = required(text);
    for (const std::string &pair : expected)
      CHECK(std::count(found.begin(), found.end(), pair) == 1);
  }
  CHECK(required(serialLoop()) == required(loopKernel({})));
}

TEST_CASE("a protected sync stays in the kernel whose order is asked for") {
  LoopSyncs syncs;
  syncs.store = "    pipe_barrier(PIPE_ALL); // ptosync: keep(timing)\n";
  std::vector<std::string> found = required(loopKernel(syncs));
  CHECK(std::count(found.begin(), found.end(), "V -> MTE3") == 0);
}

TEST_CASE("a pair round a loop says after how many iterations, and the loop what counts them") {
  auto orderOf = [](const std::string &text) {
    Module module = lift(text);
    StatementTree places = llvm::cantFail(StatementTree::read(module.kernels.front()));
    return llvm::cantFail(requiredOrder(module, 0, places, machineOf("a3"), {}));
  };
  auto lag = [](const RequiredOrder &order, Pipe source, Pipe destination) {
    for (const RequiredPair &pair : order.pairs)
      if (pair.carried && pair.source == source && pair.destination == destination)
        return pair.lag;
    return 0u;
  };
  CHECK(lag(orderOf(serialLoop()), Pipe::V, Pipe::MTE2) == 1);
  RequiredOrder two = orderOf(slotLoop("2")), three = orderOf(slotLoop("3"));
  CHECK(lag(two, Pipe::V, Pipe::MTE2) == 2);
  CHECK(lag(three, Pipe::MTE3, Pipe::V) == 3);
  for (const RequiredPair &pair : two.pairs)
    CHECK((pair.carried || pair.lag == 0));
  REQUIRE(two.counters.size() == 1);
  const LoopCounter &plain = two.counters.begin()->second;
  CHECK(plain.name == "i");
  CHECK(plain.step == 1);
  CHECK(plain.start == 0);
  CHECK_FALSE(plain.trips);
  RequiredOrder known = orderOf(slotLoop("2", "int32_t i = 16; i < 80; i += 16", "i / 16"));
  REQUIRE(known.counters.size() == 1);
  const LoopCounter &counter = known.counters.begin()->second;
  CHECK(counter.step == 16);
  CHECK(counter.start == 16);
  CHECK(counter.trips == 4);
  CHECK_FALSE(orderOf(slotLoop("2", "int32_t i = n; i < 4096; ++i")).counters.begin()->second.start);
  const RequiredOrder down = orderOf(slotLoop("2", "int32_t i = 64; i > 0; --i"));
  REQUIRE(down.counters.size() == 1);
  CHECK(down.counters.begin()->second.step == -1);
  CHECK(down.counters.begin()->second.start == 64);
  CHECK(orderOf(slotLoop("2", "int32_t i = n; i > 0; --i")).counters.empty());
}

TEST_CASE("a pair says what it is about") {
  Module module = lift(serialLoop());
  StatementTree places = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, places, machineOf("a3"), {}));
  auto found = std::find_if(order.pairs.begin(), order.pairs.end(), [](const RequiredPair &pair) {
    return pair.source == Pipe::MTE2 && pair.destination == Pipe::V && !pair.carried;
  });
  REQUIRE(found != order.pairs.end());
  CHECK(found->reason.earlier == "the write of v1");
  CHECK(found->reason.later == "the read");
  CHECK(found->reason.earlierLine < found->reason.laterLine);
}

TEST_CASE("what a loop made is over behind it, whichever iteration made it") {
  std::string load = "      TLOAD(v1, g);\n", add = "      TADD(v2, v2, v1);\n", store = "    TSTORE(h, v2);\n";
  std::string tiles = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096);
  std::string inner = "    for (int32_t k = 0; k < 4; ++k) {\n" + tensor("g", "in", "i * 4 + k") + load + add +
                      "    }\n" + tensor("h", "out", "i") + store;
  auto count = [](const std::vector<std::string> &pairs, const char *pair) {
    return std::count(pairs.begin(), pairs.end(), pair);
  };
  std::vector<std::string> alone = required(vectorKernel(tiles + "    int32_t i = 0;\n" + inner));
  CHECK(count(alone, "V -> MTE3") == 1);
  CHECK(count(alone, "V -> MTE3 round") == 0);
  CHECK(count(alone, "V -> MTE2 round") == 1);
  // In a loop both: the sum of this block, and those of the blocks before it.
  std::vector<std::string> blocks =
      required(vectorKernel(tiles + "  for (int32_t i = 0; i < n; ++i) {\n" + inner + "  }\n"));
  CHECK(count(blocks, "V -> MTE3") == 1);
  CHECK(count(blocks, "V -> MTE3 round") == 1);
  CHECK(count(blocks, "MTE3 -> V") == 0);
  CHECK(count(blocks, "MTE3 -> V round") == 1);
}
