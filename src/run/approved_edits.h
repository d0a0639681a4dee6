// Makes the edits of a file that an approval lets through, and says what is new, rejected, or no longer possible.
//
//   decide(all sites) --fingerprints--> rejected ones: their sites are taken out, decide again, until none is left
//     "rest": "apply"  what is left is made
//     "rest": "hold"   unless all of it is approved: decide(the sites of approved edits alone), until all is approved
//
// Edits are not independent: a barrier may go only since a flag went before it, and a flag that stays may let another
// one move. So nothing is picked out of a result. The optimiser runs again on the statements that may be touched
// (OptimizeOptions::sites), and what it makes of them is proved by itself, like a run with --lines. What it then does
// otherwise than it was approved is taken out as well. Each run but the first has fewer statements to touch, so that
// this ends; a file whose edits are all approved takes one run. No edit is ever made whose fingerprint is rejected,
// nor, with "hold", one whose fingerprint is not approved.
//
// An approved edit that is not in the result wants another one that was left out. Which one is found by trial: each of
// them is put back alone, up to kMostApprovalTrials runs for a file.
//
// What an earlier run made is no edit any more, nor may be what it left out. Such entries are not stale: they are edits
// of the text as it was before the tool edited it (textBeforeEdits), which is asked if an entry is not met otherwise.
//
// It does not approve the rewrites of --rewrite, which are asked for by name, and takes no syncs that are placed anew.
// Tested by tests/run/approved_edits_test.cpp and tests/tool/approval_test.cpp.
#pragma once

#include "optimize/optimizer.h"
#include "rewrite/approval.h"

#include <llvm/Support/Error.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace ptosync {

/// Runs of the optimiser that look for what an approved edit wants; docs/bounds.md.
inline constexpr std::size_t kMostApprovalTrials = 32;

/// Returns what the optimiser makes of the statements that may be touched; nothing: of all.
using DecideWithin = std::function<OptimizeResult(const std::optional<std::set<SiteId>> &sites)>;

struct ApprovedEdits {
  OptimizeResult result; // a site that was left out says so in its detail
  ApprovalOutcome outcome;
};

/// The error is an internal one: an edit was made that the approval does not let through.
llvm::Expected<ApprovedEdits> decideApproved(const Module &module, const Approval &approval,
                                             const DecideWithin &decide);

/// Returns the fingerprints of all edits that are seen on the way to what an approval lets through: its entries that
/// are none of them are no edits of the module.
std::set<std::string> editsMet(const Module &module, const Approval &approval, const DecideWithin &decide);

} // namespace ptosync
