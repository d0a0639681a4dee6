// One version of a kernel, held against all order there can be.
#include "synthesis/synthesised.h"
#include "synthesis/whole_order.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

std::vector<replay::Finding> missing(const std::string &text) {
  return llvm::cantFail(lookAtOrder(lift(text), machineOf("a3"), {}, {})).missing;
}

std::map<std::string, std::size_t> contested(const std::string &text) {
  return llvm::cantFail(lookAtOrder(lift(text), machineOf("a3"), {}, {})).contested;
}

/// A loop with a barrier of everything at its end.
std::string roundWith(const std::string &add, const std::string &store) {
  LoopSyncs syncs;
  syncs.add = add;
  syncs.store = store;
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  return loopKernel(syncs);
}

const std::string kLoaded = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
const std::string kAdded = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);

} // namespace

TEST_CASE("whole order: a right loop misses nothing, and each missing flag is found") {
  CHECK(missing(roundWith(kLoaded, kAdded)).empty());
  CHECK(missing(serialLoop()).empty());
  CHECK(missing(overlappedLoop()).empty());
  std::vector<replay::Finding> load = missing(roundWith("", kAdded));
  REQUIRE(load.size() == 1);
  CHECK(load[0].kind == replay::FindingKind::Order);
  CHECK(load[0].earlier.text.find("TLOAD") == 0);
  CHECK(load[0].later.text.find("TADDS") == 0);
  CHECK(missing(roundWith(kLoaded, "")).size() == 1);
  CHECK(missing(loopKernel({})).size() >= 4);
}

TEST_CASE("whole order: a flag that is not binary, and a wait that hangs") {
  CHECK_FALSE(missing(roundWith(kLoaded + setFlag("MTE2", "V", 0), kAdded)).empty());
  CHECK_FALSE(missing(roundWith(kLoaded + waitFlag("MTE2", "V", 0), kAdded)).empty());
}

TEST_CASE("whole order: what a contested rule orders is not missing") {
  // One load over another, and what a wait for the scalar pipe may hold back.
  std::string tiles = tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") + tensor("h", "out", "0");
  const std::string loads = vectorKernel(tiles + "  TLOAD(v1, g);\n  TLOAD(v1, h);\n");
  CHECK(missing(loads).empty());
  CHECK(contested(loads) == std::map<std::string, std::size_t>{{"mte2-load-order", 1}});
  CHECK(missing(vectorKernel(tiles + "  TSTORE(h, v1);\n" + setFlag("MTE3", "S", 0) + waitFlag("MTE3", "S", 0) +
                             "  TLOAD(v1, g);\n"))
            .empty());
  CHECK_FALSE(missing(vectorKernel(tiles + "  TSTORE(h, v1);\n  TLOAD(v1, g);\n")).empty());
}

TEST_CASE("whole order: full order keeps the tail and drops every other sync") {
  Module full = fullyOrdered(lift(overlappedLoop()));
  std::size_t barriers = 0, instructions = 0;
  for (const Block &block : full.kernels.front().blocks)
    for (const Statement &statement : block.statements) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      CHECK((!sync || sync->kind == SyncKind::Barrier));
      barriers += sync != nullptr;
      instructions += std::holds_alternative<Instruction>(statement.action);
    }
  CHECK(instructions >= 3);
  CHECK(barriers == instructions);
}
