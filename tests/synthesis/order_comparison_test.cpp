#include "kernel/kernel.h"
#include "ordering/analysis.h"
#include "synthesis/order_comparison.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

// Two versions of a kernel as one: each layout of it is the version that it came from.

using namespace ptosync::synthesis;

namespace {

std::vector<std::string> statementsOf(const Kernel &kernel) {
  std::vector<std::string> texts;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      texts.push_back(printStatement(kernel, statement));
  return texts;
}

Kernel kernelOfText(const std::string &text) { return lift(text).kernels.front(); }

void checkMerged(const std::string &before, const std::string &after) {
  const Kernel was = kernelOfText(before), is = kernelOfText(after);
  std::optional<MergedVersions> merged = mergeVersions(was, is);
  REQUIRE(merged);
  CHECK(statementsOf(withoutSites(merged->kernel, merged->onlyAfter)) == statementsOf(was));
  CHECK(statementsOf(withoutSites(merged->kernel, merged->onlyBefore)) == statementsOf(is));
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}

} // namespace

TEST_CASE("merged versions: without what only one has it is the other") {
  checkMerged(serialLoop(), overlappedLoop());
  checkMerged(overlappedLoop(), serialLoop());
  std::optional<MergedVersions> same = mergeVersions(kernelOfText(serialLoop()), kernelOfText(serialLoop()));
  REQUIRE(same);
  CHECK(same->onlyBefore.empty());
  CHECK(same->onlyAfter.empty());
}

TEST_CASE("merged versions: a sync that stays where it was is one sync") {
  const std::string text = serialLoop();
  const std::size_t barrier = text.find("pipe_barrier(PIPE_ALL);");
  REQUIRE(barrier != std::string::npos);
  const std::string twice = text.substr(0, barrier) + "pipe_barrier(PIPE_V); " + text.substr(barrier);
  std::optional<MergedVersions> merged = mergeVersions(kernelOfText(text), kernelOfText(twice));
  REQUIRE(merged);
  CHECK(merged->onlyBefore.empty());
  CHECK(merged->onlyAfter.size() == 1);
  checkMerged(text, twice);
}

TEST_CASE("merged versions: other work, or a branch that only one has, is not merged") {
  const Kernel kernel = kernelOfText(serialLoop());
  Kernel other = kernel;
  for (Block &block : other.blocks)
    std::erase_if(block.statements,
                  [](const Statement &statement) { return std::holds_alternative<Instruction>(statement.action); });
  CHECK_FALSE(mergeVersions(kernel, other));
  CHECK_FALSE(mergeVersions(kernel, kernelOfText(replaced(serialLoop(), "pipe_barrier(PIPE_ALL);",
                                                          "if (n > 3) { pipe_barrier(PIPE_ALL); }"))));
}

// Versions of a kernel held against each other: by instance, path by path, every kind of order.

using namespace ptosync::synthesis;

namespace {

const std::string kMeet = "  SYNCALL();\n";
const std::string kLeaveEarly = "  if (n > 3) return;\n";

std::string inLoop(const std::string &body) { return "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"; }
std::string onRarePath(const std::string &body) { return "  if (n % 1009 == 640) {\n" + body + "  }\n"; }

/// The kind of the order that the second version has lost; empty if none.
std::optional<ObligationKind> lost(const std::string &before, const std::string &after) {
  const Module was = lift(smallBody(before)), is = lift(smallBody(after));
  const Machine machine = machineOf("a3");
  std::optional<LostOrder> found =
      llvm::cantFail(lostOrder(was.kernels.front(), llvm::cantFail(Analysis::of(is.kernels.front(), machine, {})),
                               machine, {}, PathCheck::FaultyFlags::MayOrder));
  return found ? std::optional(found->kind) : std::nullopt;
}

} // namespace

TEST_CASE("order comparison: one open instance excuses no other, and no other path") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  // The call is open to its own earlier iterations on the common path, before and after.
  CHECK(lost(inLoop(kMeet + onRarePath(all)), inLoop(kMeet + onRarePath(all))) == std::nullopt);
  CHECK(lost(inLoop(kMeet + onRarePath(all)), inLoop(kMeet + onRarePath(""))) == ObligationKind::Fence);
  CHECK(lost(inLoop(kMeet + onRarePath("")), inLoop(kMeet + onRarePath(all))) == std::nullopt);
  // On one path of two that are alike.
  const std::string other = "  if (n % 1013 == 12) {\n" + all + "  }\n";
  CHECK(lost(inLoop(kMeet + onRarePath(all) + other), inLoop(kMeet + onRarePath("") + other)) == ObligationKind::Fence);
}

TEST_CASE("order comparison: what only a contested rule orders, flags set again, and the end") {
  const std::string load = "  TLOAD(a, g);\n", barrier = "  pipe_barrier(PIPE_MTE2);\n";
  CHECK(lost(load + onRarePath(barrier) + load, load + onRarePath("") + load) == ObligationKind::Conflict);
  CHECK(lost(load + onRarePath(barrier) + load, load + barrier + onRarePath("") + load) == std::nullopt);

  auto pair = [](const std::string &pipes, const std::string &id) {
    return "  set_flag(" + pipes + ", EVENT_ID" + id + ");\n  wait_flag(" + pipes + ", EVENT_ID" + id + ");\n";
  };
  const std::string use = load + pair("PIPE_MTE2, PIPE_V", "0") + "  TADDS(a, a, 1.0f);\n";
  const std::string back = pair("PIPE_V, PIPE_MTE2", "1"), again = pair("PIPE_MTE2, PIPE_V", "0");
  CHECK(lost(use + onRarePath(back) + again, use + onRarePath("") + again) == ObligationKind::FlagReuse);
  CHECK(lost(use + onRarePath(back) + again, use + onRarePath(back) + again) == std::nullopt);
  // A flag that is new has no excuse in a kernel that does not have it.
  CHECK(lost(use, use + again) == ObligationKind::FlagReuse);

  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  CHECK(lost(kMeet + onRarePath(all) + kLeaveEarly, kMeet + onRarePath("") + kLeaveEarly) == ObligationKind::End);
  CHECK(lost(kMeet + onRarePath(all) + kLeaveEarly, kMeet + all + onRarePath("") + kLeaveEarly) == std::nullopt);
  // What is last on its pipe: nobody waits for a barrier of that pipe, but for one of all.
  const std::string add = "  TADDS(a, b, 1.0f);\n";
  CHECK(lost(add + "  pipe_barrier(PIPE_V);\n" + kLeaveEarly, add + kLeaveEarly) == std::nullopt);
  CHECK(lost(add + pair("PIPE_V, PIPE_MTE3", "0") + kLeaveEarly, add + kLeaveEarly) == ObligationKind::End);
  CHECK(lost(add + all + kLeaveEarly, add + kLeaveEarly) == ObligationKind::End);
}

TEST_CASE("order comparison: versions that cannot be merged keep what is seen to be kept, and no more") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n", work = "  TADDS(a, b, 1.0f);\n  TADDS(c, a, 1.0f);\n";
  CHECK(lost("  TADDS(a, b, 1.0f);\n" + all, "  TADDS(a, b, 1.0f);\n  if (n > 3) {\n" + all + "  }\n") ==
        std::nullopt); // nothing is open
  CHECK(lost(inLoop(kMeet + all), inLoop(kMeet + "  if (n > 3) {\n" + all + "  }\n")) == ObligationKind::Fence);
}

// One version of a kernel, held against all order there can be.

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
