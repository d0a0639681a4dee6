// What was decided about every sync site of a file, and why.
//
// The optimiser fills these; the reports print them; nothing in between recomputes a reason.
// A removal carries evidence for each conflict the site used to order; a kept site carries one
// witness or a plain reason. Tested by tests/optimize/decision_test.cpp and through tests/report.
#pragma once

#include "kernel/sync_plan.h"
#include "machine/model_choices.h"
#include "ordering/conflict.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// Why one conflict is ordered without the removed sync.
struct Evidence {
  enum class By : std::uint8_t {
    Sync,    // `lines`: the syncs that order it
    Rule,    // machine rule `rule`
    Library, // a barrier inside a library call, at `lines`
    Nothing, // no conflict at all: nothing was pending that a later instruction touches
    Web,     // a set: what waits for it, at `lines`, is gone
    Bracket, // a release of a buffer id: its get, at `lines`, is gone
    Anew,    // the syncs of its kernel were placed anew
    Place,   // a moved flag: `conflict` keeps it from going farther
  };
  By by = By::Nothing;
  std::optional<Conflict> conflict; // empty for Nothing
  std::string rule;                 // By::Rule: id, e.g. "same-access-chain"
  std::vector<std::uint32_t> lines;
  std::string text;   // one sentence
  bool relied = true; // false: also true, but not needed at this trust level
};

enum class Verdict : std::uint8_t { Removed, Kept, Moved };

enum class KeptReason : std::uint8_t {
  None,         // removed
  Hazard,       // removal leaves `witness` unordered
  Unresolved,   // pinned: the analysis cannot see `witness` ordered even with the site
  Protected,    // keep comment, tail, flush, or not a statement of its own
  NotNominated, // no enabled pattern matches
  NotAnalysed,  // its kernel could not be analysed
  Unbalanced,   // its flag is not set and waited for in turn on every path, or its id is not known
  Intermittent, // its flag is carried round a loop and used on some of its trips only
  Unreached,    // no run is seen to reach it, or another statement of its flag
  Limit,        // --max-removals or --lines left it out
  NotApproved,  // an approval left it out: --approved
};

/// The detail of a sync that itself stands where no run is seen to come.
inline constexpr const char *kUnreachedText = "no run is seen to reach it, and it does not go for that alone";

/// Stable id for reports: "hazard", "unresolved", ...
const char *keptReasonName(KeptReason reason);

struct SiteDecision {
  SiteId site = kNone;
  Verdict verdict = Verdict::Kept;
  std::string pattern;                  // the pattern that claimed it; empty if none
  std::uint32_t edit = 0;               // removed, moved: the number of the edit, from 1; 0 none
  std::vector<TextPlace> movedTo;       // moved: one place, or a copy in each arm of a branch
  std::vector<Evidence> evidence;       // removed, moved; kept for want of an approval: of the edit that was left out
  KeptReason reason = KeptReason::None; // kept
  std::string detail;                   // kept: one sentence
  std::optional<Conflict> witness;      // kept: Hazard, Unresolved
  std::vector<std::string> kernels;     // names of the kernels that run through it
  std::vector<Section> sections;        // of those kernels, ordered, without repeats
};

/// A conflict of the input that nothing is seen to order.
struct UnresolvedPair {
  std::string kernel;
  Section section = Section::Both;
  Conflict conflict;
  std::string silencedBy; // rule of contested grade that silences it; may be empty
};

/// A flag that is not binary on every path of the input.
struct TokenFault {
  std::string kernel;
  Section section = Section::Both;
  std::string text; // one sentence with lines
  std::uint32_t line = 0;
};

struct SkippedKernel {
  std::string kernel;
  Section section = Section::Both;
  std::uint32_t line = 0;
  std::string reason;
};

struct OptimizeResult {
  std::vector<SiteDecision> decisions; // one per Module::sites, same order
  std::vector<AddedSync> added;        // by place
  std::vector<UnresolvedPair> unresolved;
  std::vector<TokenFault> tokenFaults;
  std::vector<SkippedKernel> skipped;
};

/// Returns what the result does to the text, with the comments that tell why.
SyncPlan planOf(const Module &module, const OptimizeResult &result);

/// Returns how many edits were made: they are numbered from 1 on.
std::uint32_t editsOf(const OptimizeResult &result);

/// Returns why a sync went, for the comment that it leaves. It names what the removal relies on: the syncs that order
/// the same, the machine's rules, the library call whose inside counts. Empty without evidence. `sites` are those that
/// the decision refers to.
std::vector<SyncPlan::Reliance> removalReason(const SiteDecision &decision, const std::vector<SyncSite> &sites);

} // namespace ptosync
