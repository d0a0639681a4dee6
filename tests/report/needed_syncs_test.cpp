// What runs say of the syncs that stay, as text and as JSON.
#include "report/needed_syncs.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using replay::Need;
using replay::NeedAnswer;

namespace {

Need neededBy(replay::FindingKind kind) {
  Need need;
  need.answer = NeedAnswer::Needed;
  replay::Finding finding;
  finding.kind = kind;
  finding.kernel = "attention";
  finding.section = Section::Vec;
  finding.run = "n=3";
  finding.rule = kind == replay::FindingKind::Order ? "RAW" : "";
  finding.storage = kind == replay::FindingKind::Order ? "UB [0, 128)" : "";
  finding.earlier = {"TEXP(a, a)", 12, 12, "PIPE_V", "iteration 1 of the loop at line 9"};
  finding.later = {"TADDS(b, a, 1.0f)", 14, 14, "PIPE_V", ""};
  finding.text = "it hangs";
  need.finding = finding;
  return need;
}

Need withAnswer(NeedAnswer answer) {
  Need need;
  need.answer = answer;
  return need;
}

} // namespace

TEST_CASE("needed syncs: one line each") {
  CHECK(neededLine({neededBy(replay::FindingKind::Order), ""}) ==
        "needed: RAW on UB [0, 128): line 12 TEXP(a, a) on PIPE_V, iteration 1 of the loop at line 9 -> line 14 "
        "TADDS(b, a, "
        "1.0f) on PIPE_V (attention (vec), run with n=3)");
  CHECK(neededLine({neededBy(replay::FindingKind::Deadlock), ""}) ==
        "needed: hang: it hangs (attention (vec), run with n=3)");
  CHECK(neededLine({withAnswer(NeedAnswer::InNoRun), "all runs are alike"}) == "needed in no run: all runs are alike");
  CHECK(neededLine({withAnswer(NeedAnswer::NotReached), "no run"}) == "undecided: no run");
}

TEST_CASE("needed syncs: the reasons") {
  sample::Sample sample;
  const SiteDecision &decision = sample.barrier(13);
  const SyncSite &site = sample.module.sites[0];
  auto reason = [&](NeedAnswer answer) {
    return undecidedReason(withAnswer(answer), site, &decision, sample.result).substr(0, 8);
  };
  CHECK(reason(NeedAnswer::NotReached) == "no run: ");
  CHECK(reason(NeedAnswer::NothingLost) == "no loss:");
  SiteDecision held = decision;
  held.witness = sample::conflict(12, 14);
  CHECK(undecidedReason(withAnswer(NeedAnswer::NothingLost), site, &held, sample.result).substr(0, 10) == "addresses:");
  held.witness->kind = HazardKind::Fence;
  CHECK(undecidedReason(withAnswer(NeedAnswer::NothingLost), site, &held, sample.result).substr(0, 6) == "fence:");
  sample.result.unresolved.push_back({"attention", Section::Vec, *held.witness, "mte2-load-order"});
  CHECK(undecidedReason(withAnswer(NeedAnswer::NothingLost), site, &held, sample.result) ==
        "contested rule: no run loses an order without it that mte2-load-order does not give");
  held.witness.reset();
  held.reason = KeptReason::Unbalanced;
  CHECK(undecidedReason(withAnswer(NeedAnswer::NothingLost), site, &held, sample.result).substr(0, 14) ==
        "flag at fault:");
  CHECK(undecidedReason(neededBy(replay::FindingKind::Order), site, &decision, sample.result).empty());
}

TEST_CASE("needed syncs: the summary, and who is undecided") {
  sample::Sample sample;
  for (std::uint32_t line : {13, 15, 17, 19})
    sample.barrier(line);
  NeededSyncs needed;
  needed.bySite[0] = {neededBy(replay::FindingKind::Order), ""};
  needed.bySite[1] = {withAnswer(NeedAnswer::NothingLost), "no loss"};
  needed.bySite[2] = {withAnswer(NeedAnswer::NothingLost), "no loss"};
  CHECK(neededSummary(needed) == "kept: 1 needed in some run, 2 undecided");
  needed.bySite[3] = {withAnswer(NeedAnswer::InNoRun), "all runs are alike"};
  CHECK(neededSummary(needed) == "kept: 1 needed in some run, 1 needed in no run, 2 undecided");
  CHECK(neededPart(sample.module, sample.result, needed) ==
        "kept: 1 needed in some run, 1 needed in no run, 2 undecided\n"
        "  needed in no run, at line 19: all runs are alike\n"
        "  undecided at lines 15 and 17: no loss\n");
  CHECK_FALSE(isMinimal(sample.module, needed));
  needed.bySite.erase(1);
  needed.bySite.erase(2);
  CHECK_FALSE(isMinimal(sample.module, needed)); // nothing keeps the one that no run needs
  sample.module.sites[3].protection = Protection::KeepComment;
  CHECK(isMinimal(sample.module, needed));
  needed.bySite[1] = needed.bySite[2] = {withAnswer(NeedAnswer::NothingLost), "no loss"};
  const nlohmann::ordered_json summary = neededSummaryJson(sample.module, sample.result, needed);
  CHECK(summary["needed"] == 1);
  CHECK(summary["barriers"]["undecided"] == 2);
  const nlohmann::ordered_json json = neededJson(needed.bySite[0]);
  CHECK(json["answer"] == "needed");
  CHECK(json["lost"]["earlier"]["line"] == 12);
  CHECK(neededJson(needed.bySite[1])["lost"] == nullptr);
}
