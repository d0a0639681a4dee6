#include "optimize/wording.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a conflict names its kind, storage and both instructions") {
  Conflict conflict = sample::conflict(12, 14);
  CHECK(describeConflict(conflict) ==
        "RAW on UB [98304, 98432): line 12 TROWSUM(v84, v58, v62) -> line 14 TADD(v128, v128, v129)");
  conflict.kind = HazardKind::Fence;
  conflict.storage = "";
  conflict.loopCarried = true;
  conflict.earlier.calledFrom = {97, 120};
  CHECK(describeConflict(conflict) == "fence: line 12 (called from line 97) (called from line 120) "
                                      "TROWSUM(v84, v58, v62) -> line 14 TADD(v128, v128, v129), "
                                      "carried round the loop");
}

TEST_CASE("every kind of evidence says what orders the pair") {
  std::vector<Evidence> evidence = sample::everyEvidence();
  CHECK(describeEvidence(evidence[0]) == "syncs at lines 13 and 16: barriers on both sides");
  CHECK(describeEvidence(evidence[1]) == "machine rule same-access-chain: one access of 4096 elements");
  CHECK(describeEvidence(evidence[2]) == "barrier inside the library call at line 12");
  CHECK(describeEvidence(Evidence{}) == "no conflict");
}

TEST_CASE("evidence ids are stable") {
  CHECK(std::string(evidenceName(Evidence::By::Sync)) == "sync");
  CHECK(std::string(evidenceName(Evidence::By::Rule)) == "rule");
  CHECK(std::string(evidenceName(Evidence::By::Library)) == "library");
  CHECK(std::string(evidenceName(Evidence::By::Nothing)) == "nothing");
}

TEST_CASE("every kept reason is explained") {
  for (int reason = 0; reason <= static_cast<int>(KeptReason::NotApproved); ++reason)
    CHECK(explainReason(static_cast<KeptReason>(reason)) != "?");
}
