#include "optimize/decision.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace ptosync;

TEST_CASE("decision: reasons have stable ids of their own", "[decision]") {
  CHECK(std::string(keptReasonName(KeptReason::None)) == "none");
  CHECK(std::string(keptReasonName(KeptReason::Hazard)) == "hazard");
  CHECK(std::string(keptReasonName(KeptReason::Unresolved)) == "unresolved");
  CHECK(std::string(keptReasonName(KeptReason::Protected)) == "protected");
  CHECK(std::string(keptReasonName(KeptReason::NotNominated)) == "not-nominated");
  CHECK(std::string(keptReasonName(KeptReason::NotAnalysed)) == "not-analysed");
  CHECK(std::string(keptReasonName(KeptReason::Unbalanced)) == "unbalanced");
  CHECK(std::string(keptReasonName(KeptReason::Limit)) == "limit");
  CHECK(std::string(keptReasonName(KeptReason::NotApproved)) == "not-approved");
}

TEST_CASE("decision: a fresh one keeps", "[decision]") {
  SiteDecision decision;
  CHECK(decision.verdict == Verdict::Kept);
  CHECK(decision.evidence.empty());
  CHECK_FALSE(decision.witness);
}

namespace {

std::vector<SyncSite> sitesOnLines() {
  std::vector<SyncSite> sites(4);
  std::uint32_t line = 10; // barriers on 10 and 11, a flag's halves on 12 and 13
  for (SyncSite &site : sites)
    site.line = line++;
  sites[2].kind = SyncKind::SetFlag;
  sites[3].kind = SyncKind::WaitFlag;
  return sites;
}

Evidence evidenceBy(Evidence::By by, std::vector<std::uint32_t> lines = {}, std::string rule = "", bool relied = true) {
  Evidence evidence;
  evidence.by = by;
  evidence.lines = std::move(lines);
  evidence.rule = std::move(rule);
  evidence.relied = relied;
  return evidence;
}

std::string reasonOf(std::vector<Evidence> evidence) {
  SiteDecision decision;
  decision.verdict = Verdict::Removed;
  decision.evidence = std::move(evidence);
  std::string text;
  for (const SyncPlan::Reliance &each : removalReason(decision, sitesOnLines())) {
    text.append(text.empty() ? "" : "; ").append(each.what);
    for (std::uint32_t line : each.lines)
      text.append(" ").append(std::to_string(line));
  }
  return text;
}

} // namespace

TEST_CASE("removal reason: the syncs that order the same, by line") {
  CHECK(reasonOf({evidenceBy(Evidence::By::Sync, {10})}) == "barrier 10");
  CHECK(reasonOf({evidenceBy(Evidence::By::Sync, {12, 13})}) == "flag 12 13");
  CHECK(reasonOf({evidenceBy(Evidence::By::Sync, {13}), evidenceBy(Evidence::By::Sync, {10, 12})}) == "sync 10 12 13");
  CHECK(reasonOf({evidenceBy(Evidence::By::Sync, {10, 11, 20, 21, 22})}) == "barrier 10 11 20 21 22");
}

TEST_CASE("removal reason: what it relies on besides, and nothing else") {
  CHECK(reasonOf({evidenceBy(Evidence::By::Rule, {}, "same-access-chain")}) == "rule same-access-chain");
  CHECK(reasonOf({evidenceBy(Evidence::By::Rule, {}, "same-access-chain"), evidenceBy(Evidence::By::Sync, {10}),
                  evidenceBy(Evidence::By::Library, {30}, "", false)}) == "barrier 10; rule same-access-chain");
  CHECK(reasonOf({evidenceBy(Evidence::By::Library, {30})}) == "inside call 30");
  CHECK(reasonOf({evidenceBy(Evidence::By::Web, {40})}) == "with wait 40");
  CHECK(reasonOf({evidenceBy(Evidence::By::Anew)}) == "placed anew");
  CHECK(reasonOf({evidenceBy(Evidence::By::Nothing)}) == "nothing to order");
  CHECK(reasonOf({evidenceBy(Evidence::By::Nothing), evidenceBy(Evidence::By::Sync, {10})}) == "barrier 10");
  CHECK(reasonOf({}).empty());
}
