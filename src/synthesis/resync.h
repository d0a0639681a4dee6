// Places the syncs of a file anew where that is faster or shorter, and proved: `opt --resync`.
//
// The sections are what came of it, candidates and their groups, variations, removals, and the search.
#pragma once

#include "kernel/pipe.h"
#include "optimize/decision.h"
#include "optimize/optimizer.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/verification.h"
#include "timing/estimate.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::synthesis {

// What came of synchronising each kernel of a file anew. Plain data for the reports.

/// The pattern id of what goes where syncs are placed anew.
inline constexpr const char *kResyncPattern = "resync";

/// What came of one kernel. Times are estimated cycles.
struct KernelResync {
  std::string kernel;
  Section section = Section::Both;
  std::uint32_t line = 0;
  bool changed = false;
  bool left = false;  // `sync` could not synchronise it: it stays as it came
  std::string reason; // one clause. Not changed: why not; changed: what ended the search early, empty if nothing did
  double before = 0, pruned = 0; // 0: not known, since the kernel lacks an order, or it is not asked for
  double after = 0, limit = 0;
  // Of `sync`, which takes the careful side: the syncs that order only what a contested rule of the machine orders, and
  // what they take.
  std::size_t contested = 0;
  double contestedCycles = 0;
  std::string tokens; // of `sync --tokens=buffers`: one clause, what came of it; empty: there was nothing to do
};

/// One of which nothing is known yet.
KernelResync aboutKernel(const Kernel &kernel);

// What can be published for one kernel, and whether it is worth it: estimated time first, then statements.
//
// Nothing that is slower than the kernel as pruned is worth anything. What is faster has to be so by a share of the
// time that grows with the statements it has more; what is as fast has to have fewer, and few of them new.
// Tested by tests/synthesis/resync_test.cpp.

struct Candidate {
  OptimizeResult result; // decisions on the kernel's sites, and what is added
  double cycles = 0;     // estimated
  std::size_t statements = 0, edits = 0;
  std::set<SiteId> leftOut;             // of the proposed kernel that it was found in
  std::vector<Proposal> proposals = {}; // of that kernel, those that it has
};

/// A smaller share of the time is taken for none.
inline constexpr double kWorthwhile = 0.005;

/// True if `cycles` are fewer than `others` by more than that share.
constexpr bool isMuchFaster(double cycles, double others) { return cycles < others * (1 - kWorthwhile); }

/// True if `a` comes first by time, then statements, then edits.
bool isFaster(const Candidate &a, const Candidate &b);
/// The same by statements, then time, then edits, unless one is faster than `cycles` by what is worthwhile: that one.
bool isShorter(const Candidate &a, const Candidate &b, double cycles);

/// True if a kernel that is as `base` should rather be as `candidate`. `parts`: as many usual kernels as it is long, of
/// each of which a statement more takes but its share.
bool isWorthwhile(const Candidate &candidate, const Candidate &base, std::size_t parts = 1);

// Syncs where they belong: each kernel of a file synchronised anew, if that is faster and proved right.
//
//   Module --required order--> proposals --withProposals--> everything at once --reduce--> what is needed, several ways
//     each candidate --text--> verified from nothing, timed --> the best; the input and the pruned input are candidates
//
// A kernel that is too long for that at once is cut into regions (regions.h). Each is a kernel for the picture above
// and drafts what it would have; then all that was drafted is put into the whole kernel, reduced there and verified.
//
// Every core section is a matter of its own; one that cannot be synchronised anew keeps what `opt` makes of it and says
// why. What was found is placed again, as another run would, until nothing comes of it (placed_kernel.h). Sound
// because of the verification alone (verification.h). Deterministic unless an allowance ends it; `effort` bounds the
// candidates, and the work of one file and of each region is counted (reduction.h): where it is used up, what was
// verified stands. Tested by tests/synthesis/resync_test.cpp and the golden tests over corpus/.

struct ResyncOptions {
  OptimizeOptions optimize;           // maxRemovals: a kernel placed anew is one edit (JoinedGroups)
  replay::Options replay;             // for the verification
  replay::Options timed;              // for the run that is timed
  unsigned effort = 3;                // candidates per kernel, from 1
  std::set<std::int64_t> reservedIds; // never given to a flag
  bool inputStands = true;            // false: the kernel as it came is no candidate, whatever it takes
  bool bufferIds = false;             // of `sync`: in place of flags, in kernels that are no slower for it
  bool verified = true;               // false: a draft, which somebody else verifies
  std::size_t regionWork = 0;         // above 0: cut into regions of so much work (regions.h), however short; for tests
};

struct ResyncResult {
  OptimizeResult decisions;
  std::vector<KernelResync> kernels; // as in the module
};

llvm::Expected<ResyncResult> resync(const Module &module, const Machine &machine, const Catalogue &catalogue,
                                    const timing::CostTable &costs, const ResyncOptions &options, const Lift &lift);

// The decisions of a file out of those of its groups of kernels, with one row of edit numbers.
//
// A group whose syncs are placed anew is one edit: none of its statements may come or go alone. With
// OptimizeOptions::maxRemovals the first so many edits are made, in the order of the groups; a group that is left out,
// or that removal edits in part, is what `optimize` makes of it with what is left of the number. Tested by
// tests/synthesis/resync_test.cpp.

/// What becomes of kernels that are edited together.
struct GroupOutcome {
  std::set<SiteId> sites;
  std::vector<std::size_t> kernels;          // in ResyncResult::kernels
  std::optional<OptimizeResult> anew;        // decisions on the sites, and what is added; edits are not numbered
  const OptimizeResult *otherwise = nullptr; // by removal alone: decisions by site, edits numbered through the file
  const Catalogue *byCatalogue = nullptr;    // what nominated those
};

class JoinedGroups {
public:
  /// All outlive it; `result` has a decision for each site and all kernels of the groups that are added.
  JoinedGroups(const Module &module, const Machine &machine, const OptimizeOptions &options, ResyncResult &result)
      : module(module), machine(machine), options(options), result(result) {}

  /// Groups come in the order of `kernelGroups`.
  void add(GroupOutcome &group);

private:
  void addAnew(OptimizeResult &anew);
  void addRemovals(const GroupOutcome &group);

  const Module &module;
  const Machine &machine;
  const OptimizeOptions &options;
  ResyncResult &result;
  std::uint32_t edits = 0;
};

// What removal makes of a file without new places: with the moves of flags, and without.
//
// The first is what a kernel has if it is not placed anew; the second is what placing begins with where moves gain
// nothing, since what has moved stands in no text yet. Does not decide anything itself: `optimize` does.
// Tested by tests/synthesis/resync_test.cpp.

/// The catalogue without the patterns that move syncs.
Catalogue withoutMoves(const Catalogue &catalogue);

struct Removals {
  Removals(const Module &module, const Machine &machine, const Catalogue &catalogue, const OptimizeOptions &options);

  OptimizeResult pruned;
  Catalogue unmoving;                    // the patterns that move no flag
  std::optional<OptimizeResult> unmoved; // by removal alone, if something was moved
};

// The ways to reduce a kernel in which everything that could help is put in: what is left out first.
//
// Each leads to a choice from which nothing more can go; which one, hangs on the order, and no order is best for all
// kernels. Does not decide anything: the reduction does (reduction.h). Tested by tests/synthesis/resync_test.cpp.

/// What is tried first among those that cost the same.
enum class Preference : std::uint8_t {
  Fewest,   // what is nested deepest goes first: one flag for all arms
  Input,    // what was proposed goes first: few edits
  Proposed, // what the input has goes first
};

/// One way to go about it.
struct Variation {
  Preference preference = Preference::Fewest;
  double sameTime = 0.0005; // costs closer than this share of the time count as the same
  bool slotsLast = false;   // of what costs the same, what has more ids goes later
  bool inPlace = true; // false: flags that are set where they are waited for go before anything else; alone they look
                       // cheaper than they are beside others
  std::set<std::pair<Pipe, Pipe>> withheld = {}; // flags that are proposed between these pipes go before anything else
};

/// In the order in which effort is spent on them: at least one, no two alike. `slots`: where flags have an id for each
/// of several iterations, which alone look no faster than what they take the place of.
llvm::ArrayRef<Variation> variationsFor(bool slots);

/// What a reduction has to go through.
struct ReductionSize {
  std::size_t proposals = 0; // each is tried once or more
  std::size_t events = 0;    // of the kernel's program, copies of blocks counted apart
  std::size_t words = 0;     // of its pending sets, at most
};

/// How many ways `effort` (from 1) is enough for; 0: not even for one in which the pending sets have so many words.
/// That is where the iterations of a loop have many phases.
std::size_t waysWithin(unsigned effort, const ReductionSize &size);

} // namespace ptosync::synthesis
