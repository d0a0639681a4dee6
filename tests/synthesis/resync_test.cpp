#include "rewrite/sync_edits.h"
#include "synthesis/resync.h"
#include "synthesis/synthesised.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

static Candidate candidate(double cycles, std::size_t statements, std::size_t added = 0) {
  Candidate result;
  result.cycles = cycles;
  result.statements = statements;
  result.result.added.resize(added);
  return result;
}

TEST_CASE("candidates: what is slower is worth nothing, however short") {
  CHECK_FALSE(isWorthwhile(candidate(1001, 2), candidate(1000, 40)));
  CHECK_FALSE(isWorthwhile(candidate(1000, 40), candidate(1000, 40)));
}

TEST_CASE("candidates: half a percent is worth a few statements, and each one more a twentieth") {
  const Candidate base = candidate(1000, 40);
  CHECK(isWorthwhile(candidate(994, 40), base));
  CHECK(isWorthwhile(candidate(994, 50), base));
  CHECK_FALSE(isWorthwhile(candidate(996, 41), base));
  CHECK_FALSE(isWorthwhile(candidate(994, 66), base)); // 1.3 % for 26
  CHECK(isWorthwhile(candidate(986, 66), base));
  CHECK(isWorthwhile(candidate(994, 30), base));
}

TEST_CASE("candidates: as fast and shorter, unless much would be new") {
  const Candidate base = candidate(1000, 40);
  CHECK(isWorthwhile(candidate(1000, 38, 8), base));
  CHECK_FALSE(isWorthwhile(candidate(1000, 38, 9), base));
  CHECK_FALSE(isWorthwhile(candidate(1000, 41), base));
}

TEST_CASE("candidates: in order of time, and in order of statements") {
  CHECK(isFaster(candidate(10, 9), candidate(11, 2)));
  CHECK(isFaster(candidate(10, 2), candidate(10, 3)));
  CHECK_FALSE(isFaster(candidate(10, 2), candidate(10, 2)));
}

TEST_CASE("candidates: in order of statements, but for what is much faster than what there is") {
  CHECK(isShorter(candidate(1000, 2), candidate(996, 9), 1000));
  CHECK(isShorter(candidate(996, 2), candidate(1000, 2), 1000));
  CHECK(isShorter(candidate(994, 9), candidate(1000, 2), 1000));
  CHECK(isShorter(candidate(990, 9), candidate(994, 2), 1000));
  CHECK_FALSE(isShorter(candidate(1000, 2), candidate(1000, 2), 1000));
}

using namespace ptosync::synthesis;

namespace {

const char *kAdditions = "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                         "  pipe_barrier(PIPE_V);\n  TADDS(v3, v3, 1.0f);\n";

/// Two kernels whose syncs are one edit, one with two barriers that order nothing, and one that is placed anew.
Module fourKernels() {
  std::string wait = " {\n  give();\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n}\n";
  std::string kernel = "extern \"C\" __global__ AICORE void ";
  std::string text = serialLoop();
  text.insert(text.find("extern"),
              "static AICORE inline void give() {\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n}\n" + kernel +
                  "one(__gm__ float *in)" + wait + kernel + "other(__gm__ float *in)" + wait + kernel +
                  "barriers(__gm__ float *in) {\n" + tile("v1", "float", 8, 64, 0) + tile("v2", "float", 8, 64, 4096) +
                  tile("v3", "float", 8, 64, 8192) + kAdditions + "}\n");
  return lift(text);
}

ResyncResult limitedTo(const Module &module, std::optional<std::size_t> edits) {
  ResyncOptions options;
  options.optimize.maxRemovals = edits;
  return resynced(module, options);
}

/// By number: the kernels it edits, and how many statements go or come.
std::map<std::uint32_t, std::string> editsOf(const ResyncResult &result) {
  std::map<std::uint32_t, std::set<std::string>> kernels;
  std::map<std::uint32_t, std::size_t> statements;
  for (const SiteDecision &decision : result.decisions.decisions)
    if (decision.edit > 0) {
      kernels[decision.edit].insert(decision.kernels.begin(), decision.kernels.end());
      ++statements[decision.edit];
    }
  for (const AddedSync &added : result.decisions.added) {
    kernels[added.edit].insert(added.kernel);
    ++statements[added.edit];
  }
  std::map<std::uint32_t, std::string> edits;
  for (const auto &[number, names] : kernels) {
    for (const std::string &name : names)
      edits[number] += name + " ";
    edits[number] += statements[number] > 4 ? "many" : std::to_string(statements[number]);
  }
  return edits;
}

} // namespace

TEST_CASE("edits are numbered through the file, and a kernel placed anew is one") {
  CHECK(editsOf(limitedTo(fourKernels(), std::nullopt)) ==
        std::map<std::uint32_t, std::string>{{1, "one other 3"}, {2, "barriers 1"}, {3, "barriers 1"}, {4, "k many"}});
}

TEST_CASE("with a limit the first so many edits are made, and the rest is as it came") {
  Module module = fourKernels();
  const ResyncResult all = limitedTo(module, std::nullopt);
  std::map<std::uint32_t, std::string> edits = editsOf(all);
  REQUIRE(edits.size() == 4);
  for (std::size_t limit = 5; limit-- > 0;) {
    CAPTURE(limit);
    edits.erase(edits.upper_bound(static_cast<std::uint32_t>(limit)), edits.end());
    ResyncResult some = limitedTo(module, limit);
    CHECK(editsOf(some) == edits);
    for (const SiteDecision &decision : some.decisions.decisions) {
      const SiteDecision &whole = all.decisions.decisions[decision.site];
      CHECK(decision.edit == (whole.edit <= limit ? whole.edit : 0));
      CHECK((decision.verdict == Verdict::Kept || decision.edit > 0));
    }
    CHECK(some.decisions.added.size() == (limit < 4 ? 0 : all.decisions.added.size()));
    CHECK(some.kernels.back().changed == (limit >= 4));
  }
  CHECK(limitedTo(module, 3).kernels.back().reason == "--max-removals leaves it out");
  CHECK(llvm::cantFail(patchedText(module, limitedTo(module, 0).decisions)) == module.source.text());
}

using namespace ptosync::synthesis;

namespace {

bool moves(const OptimizeResult &result) {
  return std::any_of(result.decisions.begin(), result.decisions.end(),
                     [](const SiteDecision &decision) { return decision.verdict == Verdict::Moved; });
}

} // namespace

TEST_CASE("removals: where flags are moved, what removal alone makes of the file is there too") {
  Module module = lift(readText(corpusPath("moved_flags/kernel.cpp")));
  const Removals removals(module, machineOf("a3"), defaultPatterns(), {});
  CHECK(moves(removals.pruned));
  REQUIRE(removals.unmoved);
  CHECK_FALSE(moves(*removals.unmoved));
  CHECK(removals.unmoved->decisions.size() == removals.pruned.decisions.size());
}

TEST_CASE("removals: where nothing is moved, there is nothing else") {
  Module module = lift(serialLoop());
  const Removals removals(module, machineOf("a3"), defaultPatterns(), {});
  CHECK_FALSE(moves(removals.pruned));
  CHECK_FALSE(removals.unmoved);
}

using namespace ptosync::synthesis;

TEST_CASE("variations: no two of a list are alike, and none withholds anything to begin with") {
  for (bool slots : {false, true}) {
    std::set<std::tuple<Preference, double, bool, bool>> seen;
    for (const Variation &variation : variationsFor(slots)) {
      CHECK(variation.withheld.empty());
      CHECK(variation.slotsLast == slots);
      CHECK(seen.insert({variation.preference, variation.sameTime, variation.slotsLast, variation.inPlace}).second);
    }
    CHECK(seen.size() > 1);
  }
}

TEST_CASE("variations: the three first, which the default effort tries, differ in what they prefer or in place") {
  for (bool slots : {false, true}) {
    std::set<std::pair<Preference, bool>> seen;
    for (const Variation &variation : variationsFor(slots).take_front(3))
      seen.insert({variation.preference, variation.inPlace});
    CHECK(seen.size() >= 2);
  }
}

TEST_CASE("variations: a large reduction is tried in fewer ways, one in which every trial is long in none") {
  CHECK(waysWithin(3, {}) == 3);
  CHECK(waysWithin(3, {100, 1000, 10'000}) == 3);
  CHECK(waysWithin(3, {500, 2000, 10'000}) == 1); // a million events: at least one way
  CHECK(waysWithin(9, {500, 2000, 10'000}) == 4);
  CHECK(waysWithin(3, {200, 1000, 1'000'000}) == 1); // 200 million words
  CHECK(waysWithin(6, {200, 1000, 1'000'000}) == 3);
  CHECK(waysWithin(3, {200, 1000, 7'000'000}) == 0);
}

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
  CHECK(result.kernels[0].reason ==
        "nothing of the file is edited: another build of it is another program: the preprocessor "
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
  CHECK(result.kernels[0].reason == "its syncs are within half a percent of what its data allows");
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
  CHECK(result.kernels[0].reason.find("nothing that was tried is faster; there are too few event ids from PIPE_") == 0);
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

TEST_CASE("a kernel that lacks syncs is not called fast without a word about them") {
  LoopSyncs none;
  const ResyncResult result = resynced(lift(loopKernel(none)));
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.kernels[0].reason.find("its syncs are within half a percent of what its data allows; but ") == 0);
  CHECK(result.kernels[0].reason.find("of its instructions nothing orders") != std::string::npos);
}

TEST_CASE("resync: what stands behind a core section keeps neither core from being placed anew") {
  std::string whole = serialLoop();
  const std::string end = "  pipe_barrier(PIPE_ALL);\n  dsb";
  whole.insert(whole.find(end), "  #endif\n  pipe_barrier(PIPE_ALL);\n");
  whole.insert(whole.find("  Tile<"), "  #if defined(__DAV_VEC__)\n");
  const Module module = lift(whole);
  REQUIRE(module.kernels.size() == 2);
  const ResyncResult result = resynced(module);
  for (const KernelResync &about : result.kernels)
    if (about.section == Section::Vec) {
      CHECK(about.changed);
      CHECK(about.after < about.before * 0.9);
    }
  const std::string text = textOf(module, result);
  CHECK(occurrences(text, "  #endif\n  pipe_barrier(PIPE_ALL);\n") == 1);
  const Module after = lift(text);
  for (const Kernel &kernel : module.kernels)
    CHECK(refusal(module, after, kernel.name, kernel.section, machineOf("a3"), {}) == std::nullopt);
}
