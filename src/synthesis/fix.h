// Mends a broken kernel with the fewest insertions: `fix`.
#pragma once

#include "rewrite/text_edit.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"
#include "synthesis/verification.h"
#include "timing/estimate.h"

namespace ptosync::synthesis {

// What the repairs of one kernel have in common. Plain data; tested through tests/synthesis/fix_test.cpp.

struct RepairContext {
  const Module &module; // the input
  std::size_t number;   // of the kernel
  const StatementTree &tree;
  const Machine &machine, &endless; // with the ids that there are, and with ids without end
  const OrderingOptions &ordering;
  const std::set<std::int64_t> &reservedIds;
  const Lift &lift;
  /// Estimated cycles of a version of the kernel.
  std::function<double(const Kernel &)> time;

  const Kernel &kernel() const { return module.kernels[number]; }
  /// The syncs of a proposal as additions to this kernel's text.
  std::vector<AddedSync> additions(const Proposal &proposal, std::int64_t id) const;
  /// Where the statements of another version of the kernel stand in the input.
  PlaceOf placesOf(const Kernel &version) const;
};

/// "from PIPE_MTE2 to PIPE_V".
std::string betweenPipes(Pipe source, Pipe destination);

// The fewest insertions that make a broken kernel right.
//
//   Module --audit--> findings --flags, then pairs that nothing orders--> changes --text--> checked from nothing
//     ^                                                                                            |
//     +------ findings that are left, and what a run of the replay still misses, next round <------+
//
// What the kernel has stays, but for statements that are themselves what is wrong: the first of two sets in a row, the
// second of two waits, a statement on another flag's event id. Flags are made binary first (flag_repair.h), then what
// is still unordered gets barriers and flags (order_repair.h). Sound because of FixCheck (verification.h) alone, which
// looks at the text of all changes together; where that is refused, each change is asked for by itself on top of those
// before. A round begins with what the rounds before have made, so that what one conflict hid, or what one change alone
// could not mend, has its turn; the last round is the one that changes nothing. A finding that is left says why.
// Deterministic. Tested by tests/synthesis/fix_test.cpp and
// tests/golden/fix_test.cpp.

struct FixOptions {
  FixCheckOptions check;
  replay::Options timed;              // for the run that is timed
  std::set<std::int64_t> reservedIds; // never given to a flag
  bool attribute = false;             // also find for each finding the changes that mend it, each judged by itself
};

/// What a run of the replay misses, and no finding speaks of: the audit has it as a note or not at all.
struct MissedByRun {
  std::string text;                             // one sentence; an order's has no lines
  std::uint32_t earlierLine = 0, laterLine = 0; // of the input, of an order; 0: of something else
  std::string kernel, run;                      // the run that shows it
  bool mended = false;                          // the text that results has it
  std::string reason = {};                      // not mended, an order: why not, one clause
};

/// A finding, an error or a warning: of the input, or one that another hid there, with its place in the input.
struct Defect {
  Finding finding;
  bool mended = false;
  std::string reason;           // not mended: why not, one clause
  std::vector<Edit> edits = {}; // mended, and asked for: what mends it, of the input; it may mend others too
};

struct FixResult {
  std::vector<Defect> defects;   // in the order of the audit, what was hidden behind the others
  std::vector<SyncPlan> changes; // as they were made; those of one flag together
  std::string text;              // the mended file; the input if there is no change
  std::vector<MissedByRun> missed; // first what is left
  /// Pairs of statements in the text that the replay misses an order of and a contested rule of the machine has, by the
  /// rule's id. They are not left: right kernels have them.
  std::map<std::string, std::size_t> contested;

  /// Findings that are left of the kinds that are mended at all, errors of any kind, and what the replay misses. 0: the
  /// replay finds nothing in the text, held against all order there can be (order_comparison.h).
  std::size_t left() const;
  /// Of the findings; of what runs missed.
  std::size_t mended() const;
  std::size_t mendedOfRuns() const;
};

/// True for the findings that a sync may mend.
bool isMendable(std::string_view rule);

llvm::Expected<FixResult> fix(const Module &module, const Machine &machine, const timing::CostTable &costs,
                              const FixOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
