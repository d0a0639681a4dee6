// Why a sync went, short enough for the comment that it leaves.
//
//   evidence of one decision --removalReason--> "flag at 248", "barrier at 12, rule same-access-chain"
//
// It names what the removal relies on, all of it or as much as fits: the syncs that order the same (by line of the
// input), the machine's rules, the library call whose inside counts. The report has the whole evidence. No judgement is
// made here. Tested by tests/optimize/removal_reason_test.cpp.
#pragma once

#include "optimize/decision.h"

#include <string>
#include <vector>

namespace ptosync {

/// One line without brackets; empty without evidence. `sites` are those that the decision refers to.
std::string removalReason(const SiteDecision &decision, const std::vector<SyncSite> &sites);

} // namespace ptosync
