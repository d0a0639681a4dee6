// Explains a sync: what it orders, what would break without it, and what would let it go.
//
// Every answer is found by analysing the kernel as it would then be; nothing is guessed from the text.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explain.h"
#include "ordering/kernel_analysis.h"

#include <optional>
#include <set>

namespace ptosync {

// The program of a kernel with some syncs out and perhaps a barrier put in, built anew.
//
//   Kernel --buildProgram--> Program --events out, barrier in--> Program with the same nodes, bits and flags
//
// `Analysis::tryEdit` takes edits that only weaken, and tells the first thing that they break. To see all of it, or
// what a stronger edit would do, the edited kernel is analysed from scratch. Nodes and bits have the same numbers as in
// the program of the untouched kernel, so that open pairs of the two can be compared. Tested by
// tests/explain/explain_sync_test.cpp.

struct ProgramEdit {
  std::set<SiteId> removed;
  struct Barrier {
    BlockId block;
    std::uint32_t event; // of the untouched program: it stands in front
    Pipe pipe;
  };
  std::optional<Barrier> barrier;
};

class EditedProgram {
public:
  /// `kernel` can be analysed; that it builds is known from the untouched program.
  EditedProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                const ProgramEdit &change);

  const Analysis &analysis() const { return *edited; }
  const Program &program() const { return edited->program(); }
  const Pending &pending() const { return edited->pending(); }
  /// Where an event of the untouched program stands now; of one that is out, what follows it.
  EventKey keyOf(EventKey untouched) const;

private:
  void edit(Program &program, const ProgramEdit &change);

  std::optional<Analysis> edited;                    // always there
  std::vector<std::vector<std::uint32_t>> positions; // by step, by event of the untouched program
};

/// The obligations that `edited` leaves open and `untouched` does not, those included that a contested rule silences.
/// By instance, so one that `untouched` leaves open on some path is not among them.
std::vector<OpenObligation> newlyOpen(const Pending &untouched, const Pending &edited);

// Finds what a sync orders in one kernel: what nothing else would order, and what something else orders too.
//
//   kernel without the sync --newly open pairs--> needed
//   what the sync faces --followed through the kernel without it (optimize/edit_session.h)--> ordered otherwise
//
// Taken out alone, from the kernel as it stands; what `opt` has removed before it asks is another question, and
// `opt`'s decision answers that. Tested by tests/explain/explain_sync_test.cpp.

/// Returns the effect of `sites`, which are one barrier, or all statements of a web of flags.
SyncEffect syncEffect(const AnalysedFile &file, std::size_t kernel, const std::set<SiteId> &sites);

/// Returns true if `change` opens nothing in the kernel that is not open anyway. What a contested rule silences counts
/// as open. Returns false if there are too many open pairs to tell.
bool opensNothing(const AnalysedFile &file, std::size_t kernel, const ProgramEdit &change);

// Finds what would let a sync go that stays: options, a cheaper sync, a shared barrier, separate storage, or nothing.
//
// Each condition but the last resort is tried, not guessed: options by deciding the file again with them, everything
// else by analysing the kernels that run through the sync as they would then be. Only a few of each are tried, so a
// condition that is not listed may exist. Tested by tests/explain/explain_sync_test.cpp.

/// Returns the conditions of a sync. `explained` must have everything but these.
std::vector<RemovalCondition> removalConditions(const AnalysedFile &file, const SyncExplanation &explained);

// Explains a sync: what it orders, what would break without it, and what would let it go. Tested by
// tests/explain/explain_sync_test.cpp.

/// Explains the sync at `site`. If it is a statement of a flag, its whole web is explained.
SyncExplanation explainSync(const AnalysedFile &file, SiteId site);

} // namespace ptosync
