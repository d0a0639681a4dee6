#include "run/approved_edits.h"

#include "report/report.h"
#include "rewrite/edit_fingerprint.h"
#include "rewrite/sync_edits.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kTiles = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192);

/// Two barriers behind each other, of which one goes, and one that orders nothing.
const std::string kTwice = vectorKernel(kTiles + "  TADDS(v2, v2, 1.0f);\n  pipe_barrier(PIPE_V);\n"
                                                 "  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                                                 "  pipe_barrier(PIPE_V);\n  TADDS(v1, v1, 1.0f);\n");

struct Approved {
  Approved(const std::string &text, std::vector<EditName> approved, std::vector<EditName> rejected, bool applyRest)
      : module(lift(text)) {
    approval.approved = std::move(approved);
    approval.rejected = std::move(rejected);
    approval.applyRest = applyRest;
    edits = llvm::cantFail(decideApproved(module, approval, [&](const std::optional<std::set<SiteId>> &sites) {
      ++runs;
      return decideIn(module, sites);
    }));
  }

  static OptimizeResult decideIn(const Module &module, const std::optional<std::set<SiteId>> &sites) {
    OptimizeOptions options;
    options.sites = sites;
    return optimize(module, machineOf("a3"), defaultPatterns(), options);
  }

  /// The entries that are no edits, of this text or of what it was before the tool edited it.
  std::vector<std::string> stale() const {
    std::set<std::string> met = edits.outcome.met;
    if (const std::optional<std::string> text = textBeforeEdits(module)) {
      const Module before = lift(*text);
      met.merge(editsMet(before, approval, [&](const auto &sites) { return decideIn(before, sites); }));
    }
    std::vector<std::string> list;
    for (const EditName &edit : staleEntries(approval, met))
      list.push_back(edit.fingerprint + " " + edit.title);
    return list;
  }

  std::vector<std::string> made() const {
    std::vector<std::string> list;
    for (const auto &[number, edit] : nameEdits(module, edits.result))
      list.push_back(edit.fingerprint);
    return list;
  }

  Module module;
  Approval approval;
  std::size_t runs = 0;
  ApprovedEdits edits;
};

std::vector<EditName> allEdits(const std::string &text) {
  std::vector<EditName> list;
  const Outcome outcome = run(text);
  for (const auto &[number, edit] : nameEdits(outcome.module, outcome.result))
    list.push_back(edit);
  return list;
}

std::vector<std::string> fingerprintsOf(const std::vector<EditName> &edits) {
  std::vector<std::string> list;
  for (const EditName &edit : edits)
    list.push_back(edit.fingerprint);
  return list;
}

} // namespace

TEST_CASE("approved edits: all of them take one run, and are what opt makes") {
  const std::vector<EditName> all = allEdits(kTwice);
  REQUIRE(all.size() == 2);
  const Approved approved(kTwice, all, {}, false);
  CHECK(approved.runs == 1);
  CHECK(approved.made() == fingerprintsOf(all));
  CHECK(approved.edits.outcome.applied == 2);
  CHECK(approved.edits.outcome.fresh.empty());
  CHECK(approved.edits.outcome.blocked.empty());
}

TEST_CASE("approved edits: what is in neither list is held back, or made with the rest") {
  const std::vector<EditName> all = allEdits(kTwice);
  const Approved held(kTwice, {all[1]}, {}, false);
  CHECK(held.made() == std::vector<std::string>{all[1].fingerprint});
  CHECK(fingerprintsOf(held.edits.outcome.fresh) == std::vector<std::string>{all[0].fingerprint});
  CHECK(held.edits.outcome.blocked.empty());
  const Approved rest(kTwice, {all[1]}, {}, true);
  CHECK(rest.made() == fingerprintsOf(all));
  CHECK(fingerprintsOf(rest.edits.outcome.fresh) == std::vector<std::string>{all[0].fingerprint});
  const Approved none(kTwice, {}, {}, false);
  CHECK(none.made().empty());
  CHECK(none.edits.outcome.fresh.size() == 2);
  const SiteDecision &decision = none.edits.result.decisions.front();
  CHECK(decision.reason == KeptReason::NotApproved);
  CHECK(decision.detail == "the approval does not name its edit");
}

TEST_CASE("approved edits: what may go once another one stays is another edit") {
  const std::vector<EditName> all = allEdits(kTwice);
  // Of the two that stand behind each other, the other one may go instead.
  const Approved rest(kTwice, {}, {all[0]}, true);
  CHECK(rest.edits.outcome.rejected.size() == 1);
  CHECK(rest.edits.outcome.applied == 2);
  for (const std::string &fingerprint : rest.made())
    CHECK(fingerprint != all[0].fingerprint);
  const Approved held(kTwice, {all[1]}, {all[0]}, false);
  CHECK(held.made() == std::vector<std::string>{all[1].fingerprint});
  REQUIRE(held.edits.outcome.fresh.size() == 1);
  CHECK(held.edits.outcome.fresh[0].fingerprint != all[0].fingerprint);
  // It has been seen, so that an approval that names it is not stale.
  CHECK(held.edits.outcome.met.count(held.edits.outcome.fresh[0].fingerprint));
  const Approved both(kTwice, {held.edits.outcome.fresh[0]}, {all[0], all[1]}, false);
  CHECK(both.made() == fingerprintsOf(held.edits.outcome.fresh));
  const Approved neither(kTwice, {}, {all[0], all[1], held.edits.outcome.fresh[0]}, true);
  CHECK(neither.made().empty());
}

TEST_CASE("approved edits: nothing but what is approved is made, in kernels with edits that hang together") {
  std::size_t blocked = 0, named = 0;
  for (const std::string &folder : corpusFolders()) {
    const std::string text = readText(corpusPath(folder + "/kernel.cpp"));
    const Outcome outcome = run(text);
    std::vector<EditName> all;
    for (const auto &[number, edit] : nameEdits(outcome.module, outcome.result))
      all.push_back(edit);
    if (all.size() < 2 || all.size() > 12)
      continue;
    CAPTURE(folder);
    for (const EditName &edit : all) {
      const Approved one(text, {edit}, {}, false);
      for (const std::string &fingerprint : one.made())
        CHECK(fingerprint == edit.fingerprint);
      CHECK(one.edits.outcome.applied + one.edits.outcome.blocked.size() == 1);
      for (const ApprovalOutcome::Blocked &missing : one.edits.outcome.blocked) {
        ++blocked;
        named += !missing.needs.empty();
      }
      const Approved others(text, {}, {edit}, true);
      const std::vector<std::string> made = others.made();
      CHECK(std::find(made.begin(), made.end(), edit.fingerprint) == made.end());
    }
  }
  CHECK(blocked > 0);
  CHECK(named == blocked);
}

TEST_CASE("approved edits: a second run has nothing to do, whichever edit is rejected, and no entry is stale") {
  constexpr std::size_t kMostRejected = 3; // of a kernel, one at a time
  for (const std::string &folder : corpusFolders()) {
    const std::string text = readText(corpusPath(folder + "/kernel.cpp"));
    const std::vector<EditName> all = allEdits(text);
    for (std::size_t i = 0; i < std::min(all.size(), kMostRejected); ++i) {
      CAPTURE(folder, all[i].fingerprint, all[i].title);
      std::vector<EditName> others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const Approved first(text, others, {all[i]}, true);
      const std::string once = llvm::cantFail(patchedText(first.module, first.edits.result));
      const Approved second(once, others, {all[i]}, true);
      CHECK(second.made() == std::vector<std::string>());
      CHECK(second.stale() == std::vector<std::string>());
    }
  }
}
