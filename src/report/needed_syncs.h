// Which of the syncs that a result leaves are needed, by runs that miss them: the part of the reports of `opt` and
// `sync` that --needed asks for.
//
//   NeededSyncs --neededLine----> one line a sync: "needed: RAW on UB [0, 128): line 12 TADD(..) -> line 14 .., run
//                                 with n=3" or "undecided: no run loses anything without it"
//               --neededPart----> "kept: 61 needed in some run, 2 undecided", and the undecided ones by their reason
//               --neededJson----> the same for programs
//
// A sync counts as needed if some run loses an order, a flag or what is over at the end without it, a flag with all
// statements of its web. Where all runs of a kernel are alike it may be certain that none needs it. Everything else is
// undecided and has its reason. Plain data in; nothing is asked here.
// Tested by tests/report/needed_syncs_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"
#include "replay/needed.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ptosync {

struct NeededSync {
  replay::Need need;  // lines are the input's, but for syncs that were put in: those have the result's
  std::string reason; // undecided: one clause; empty: a run needs it
  bool isNeeded() const { return need.answer == replay::NeedAnswer::Needed; }
  /// No run needs it, and that is certain.
  bool isInNoRun() const { return need.answer == replay::NeedAnswer::InNoRun; }
};

/// What runs say of the syncs that stay.
struct NeededSyncs {
  std::map<SiteId, NeededSync> bySite; // statements of the input that are kept or moved
  std::vector<NeededSync> added;       // by OptimizeResult::added

  struct Count {
    std::size_t needed = 0, inNoRun = 0, undecided = 0;
    std::size_t contested = 0; // of `needed`: a contested rule of the machine would order the same
  };
  Count all() const;
  /// Of barriers alone, end fences left out.
  Count barriers(const Module &module, const OptimizeResult &result) const;
};

/// Returns why no run decides the sync, or why it stays although no run needs it, one clause: of `decision` it takes
/// what the proof says. Null: of a sync that was put in. `seen`: the analysis itself sees nothing lost without it.
std::string undecidedReason(const replay::Need &need, const SyncSite &site, const SiteDecision *decision,
                            const OptimizeResult &result, bool seen = false);

/// Returns true if each sync is needed in some run, but for what is known to be needed in none and never goes: an end
/// fence, what a comment holds.
bool isMinimal(const Module &module, const NeededSyncs &needed);

/// Returns "needed: ...", "needed in no run: ..." or "undecided: ...", one line without a newline.
std::string neededLine(const NeededSync &sync);

/// Returns "kept: 61 needed in some run, 2 undecided".
std::string neededSummary(const NeededSyncs &needed);

/// Returns the summary and the undecided syncs by their reasons, lines ended by newlines.
std::string neededPart(const Module &module, const OptimizeResult &result, const NeededSyncs &needed);

nlohmann::ordered_json neededJson(const NeededSync &sync);
nlohmann::ordered_json neededSummaryJson(const Module &module, const OptimizeResult &result, const NeededSyncs &needed);

} // namespace ptosync
