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
}

TEST_CASE("decision: a fresh one keeps", "[decision]") {
  SiteDecision decision;
  CHECK(decision.verdict == Verdict::Kept);
  CHECK(decision.evidence.empty());
  CHECK_FALSE(decision.witness);
}
