#include "synthesis/resync.h"
#include "synthesis/synthesised.h"

#include "rewrite/edited_kernel.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

std::string textOf(const Module &module, const ResyncResult &result) {
  return llvm::cantFail(patchedText(module, result.decisions));
}

} // namespace

TEST_CASE("a loop that waits for more than it needs is placed anew, faster and right") {
  Module module = lift(serialLoop());
  ResyncResult result = resynced(module);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].changed);
  CHECK(result.kernels[0].reason.empty());
  CHECK(result.kernels[0].after < result.kernels[0].pruned);
  CHECK(result.kernels[0].after >= result.kernels[0].limit);
  Module after = lift(textOf(module, result));
  CHECK(refusal(module, after, "k", module.kernels[0].section, machineOf("a3"), {}) == std::nullopt);
  for (const AddedSync &added : result.decisions.added) {
    CHECK(added.id < 8);
    CHECK(added.edit > 0);
    CHECK(added.earlierLine > 0);
  }
}

TEST_CASE("a kernel that is not right keeps what it has, unless that is no candidate") {
  // Without any sync nothing is faster.
  Module module = lift(loopKernel({}));
  CHECK_FALSE(resynced(module).kernels[0].changed);
  ResyncOptions options;
  options.inputStands = false;
  ResyncResult result = resynced(module, options);
  REQUIRE(result.kernels[0].changed);
  CHECK(result.kernels[0].after > result.kernels[0].before);
  CHECK(result.kernels[0].after < result.kernels[0].limit * 1.01);
  Module after = lift(textOf(module, result));
  CHECK(refusal(module, after, "k", module.kernels[0].section, machineOf("a3"), {}) == std::nullopt);
  // What it is now stands.
  CHECK(textOf(after, resynced(after)) == textOf(module, result));
}

TEST_CASE("nothing is placed anew in a file of which nothing is edited") {
  Module module = lift("#ifdef FAST\nint rows;\n#endif\n" + serialLoop());
  ResyncResult result = resynced(module);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.kernels[0].reason == "nothing of the file is edited: another build is another program: the preprocessor "
                                    "condition on line 1 selects line 2; say with -D or -U what FAST is");
}

TEST_CASE("a loop that is waited for as a whole gets its set in the last trip, and its wait in the first") {
  Module module = lift(readText(corpusPath("resync_last_trip/kernel.cpp")));
  ResyncResult result = resynced(module);
  std::set<std::string> guards;
  for (const AddedSync &added : result.decisions.added)
    guards.insert(added.guard);
  CHECK(guards == std::set<std::string>{"", "v23 == 0", "v23 == 384"});
  Module after = lift(textOf(module, result));
  CHECK(textOf(after, resynced(after)) == textOf(module, result));
  // Where one of the two may be missed, it stands outside.
  std::string open = module.source.text();
  open.replace(open.find("v23 < v6"), 8, "v23 < (int64_t) v22");
  Module unknown = lift(open);
  for (const AddedSync &added : resynced(unknown).decisions.added)
    CHECK(added.guard.empty());
}

TEST_CASE("a flag that some trips skip goes where all go that may rest on it, and else stays") {
  const std::string text = readText(corpusPath("resync_reused_flag/kernel.cpp"));
  auto left = [](const Module &module) {
    const OptimizeResult decisions = resynced(module).decisions;
    return std::count_if(decisions.decisions.begin(), decisions.decisions.end(), [&](const SiteDecision &decision) {
      return decision.verdict == Verdict::Kept &&
             module.sites[decision.site].text.find("PIPE_MTE3, PIPE_MTE2") != std::string::npos;
    });
  };
  CHECK(left(lift(text)) == 0);
  // Relative to a call that nothing is known about an order may rest on it.
  std::string behindCall = text;
  behindCall.insert(behindCall.find("  set_flag(PIPE_MTE3, PIPE_V"), "  unknown_call(v12);\n");
  CHECK(left(lift(behindCall)) == 4);
}

TEST_CASE("twice gives the same") {
  Module module = lift(serialLoop());
  std::string once = textOf(module, resynced(module));
  Module again = lift(once);
  CHECK(textOf(again, resynced(again)) == once);
}

TEST_CASE("what only a second round finds is found at once, beside another kernel too") {
  for (const char *folder : {"resync_again", "resync_beside_another"}) {
    INFO(folder);
    Module module = lift(readText(corpusPath(std::string(folder) + "/kernel.cpp")));
    ResyncResult result = resynced(module);
    CHECK_FALSE(result.decisions.added.empty());
    std::string once = textOf(module, result);
    Module again = lift(once);
    CHECK(textOf(again, resynced(again)) == once);
  }
}

TEST_CASE("what is as fast as it can be stays as it is") {
  Module module = lift(shortLoop());
  ResyncResult result = resynced(module);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.kernels[0].reason == "what it has is as fast as its data allows");
  CHECK(result.decisions.added.empty());
}

TEST_CASE("what is as fast as it can be may have fewer statements") {
  Module module = lift(overlappedLoop());
  ResyncResult result = resynced(module);
  CHECK(result.kernels[0].changed);
  CHECK(result.kernels[0].after <= result.kernels[0].pruned);
  const Module after = lift(textOf(module, result));
  CHECK(sitesOf(module.kernels[0]).size() - sitesOf(after.kernels[0]).size() == 4); // two primed, two drained
}

TEST_CASE("reserved ids are given to no flag") {
  ResyncOptions options;
  options.reservedIds = {0, 1, 2, 3, 4};
  Module module = lift(serialLoop());
  ResyncResult result = resynced(module, options);
  REQUIRE(result.kernels[0].changed);
  for (const AddedSync &added : result.decisions.added)
    CHECK(added.id >= 5);
  options.reservedIds = {0, 1, 2, 3, 4, 5, 6, 7};
  ResyncResult none = resynced(module, options);
  for (const AddedSync &added : none.decisions.added)
    CHECK(added.kind == SyncKind::Barrier);
}

TEST_CASE("where ids are too few the reason names the pipes") {
  ResyncOptions options;
  options.reservedIds = {0, 1, 2, 3, 4, 5, 6, 7};
  ResyncResult result = resynced(lift(serialLoop()), options);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.kernels[0].reason.find("nothing faster was found; there are too few event ids from PIPE_") == 0);
  CHECK(result.kernels[0].reason.find("PIPE_MTE2 to PIPE_V") != std::string::npos);
}

TEST_CASE("a kernel that is not followed keeps what it has and says why") {
  Module module =
      lift(vectorKernel(tile("v1", "float", 8, 64, 0) + "  if (n > 0) goto out;\n  TADDS(v1, v1, 1.0f);\nout:\n  ;\n"));
  ResyncResult result = resynced(module);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.kernels[0].reason.find("goto") != std::string::npos);
}

TEST_CASE("a protected sync stays") {
  LoopSyncs syncs;
  syncs.store = "    pipe_barrier(PIPE_ALL); // ptosync: keep(timing)\n";
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  Module module = lift(loopKernel(syncs));
  ResyncResult result = resynced(module);
  for (const SiteDecision &decision : result.decisions.decisions)
    if (module.sites[decision.site].protection == Protection::KeepComment)
      CHECK(decision.verdict == Verdict::Kept);
}

TEST_CASE("a PIPE_ALL in a loop gives way to flags") {
  LoopSyncs syncs;
  syncs.add = syncs.store = syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  Module module = lift(loopKernel(syncs));
  ResyncResult result = resynced(module);
  CHECK(result.kernels[0].changed);
  std::string text = textOf(module, result);
  CHECK(text.find("\n    pipe_barrier(PIPE_ALL);") == std::string::npos);
}

TEST_CASE("storage of several slots gets its whole overlap, with an id for each slot") {
  for (const char *slots : {"2", "3"}) {
    INFO(slots);
    Module module = lift(slotLoop(slots));
    ResyncResult result = resynced(module);
    REQUIRE(result.kernels[0].changed);
    CHECK(result.kernels[0].after < 1.02 * result.kernels[0].limit);
    std::string text = textOf(module, result);
    CHECK(text.find(std::string("(event_t) (i % ") + slots + ")") != std::string::npos);
    Module after = lift(text);
    CHECK(refusal(module, after, "k", module.kernels[0].section, machineOf("a3"), {}) == std::nullopt);
  }
}

TEST_CASE("a loop that counts in larger steps has its iterations told by them") {
  Module module = lift(slotLoop("2", "int32_t i = 16; i < n; i += 16", "i / 16"));
  ResyncResult result = resynced(module);
  REQUIRE(result.kernels[0].changed);
  CHECK(result.kernels[0].after < 1.02 * result.kernels[0].limit);
  CHECK(textOf(module, result).find("(event_t) (i / 16 % 2)") != std::string::npos);
}

TEST_CASE("ids for slots do without those that are reserved") {
  ResyncOptions options;
  options.reservedIds = {0, 2, 3, 4, 5};
  Module module = lift(slotLoop("2"));
  std::string text = textOf(module, resynced(module, options));
  CHECK(text.find("(event_t) (6 + i % 2)") != std::string::npos);
  CHECK(text.find("(event_t) (i % 2)") == std::string::npos);
}
