// Compares a profile with the estimate: is it of this kernel and this run, and which of its executions belong to which
// calls?
#pragma once

#include "profile/profile.h"
#include "timing/estimate.h"

#include <compare>

namespace ptosync::timing {

// Compares a profile with the estimate: is it of this kernel and this run, and how do their cycles compare?
//
//   CoreProfile + KernelTiming --syncDifferences--> what cannot be of one run
//                              --compareProfile---> counts and cycles by pipe and by kind of sync
//
// A profile names hardware instructions, a kernel calls of the library, and nothing says which belongs to which. What
// both name is the flags: how often each pair and id is set and waited for must agree. Flags with the scalar unit that
// the kernel does not spell are the compiler's, those inside library calls the library's; barriers are not counted,
// calls have some inside. Tested by tests/profile/profile_match_test.cpp.

struct SyncKey {
  ProfileKind kind = ProfileKind::Set; // Set, Wait, Barrier
  Pipe source = Pipe::S, destination = Pipe::S;
  std::optional<std::int64_t> id;
  auto operator<=>(const SyncKey &) const = default;
};

/// Returns the sync of a row, without its id. The row must be one of a sync.
SyncKey syncPairOf(const ProfileRow &row);
/// Returns the sync of an operation, without its id. The operation must be a sync.
SyncKey syncPairOf(const Operation &operation);

/// Returns the sync as text: "set_flag(PIPE_MTE2, PIPE_V, 0)" or "pipe_barrier(PIPE_ALL)".
std::string syncText(const SyncKey &key);

struct SyncDifference {
  SyncKey sync;
  double profile = 0, run = 0;
};

/// Returns the syncs whose numbers differ. If there are none, it may be a profile of this run. Ids are compared where
/// the profile has them all.
std::vector<SyncDifference> syncDifferences(const CoreProfile &profile, const KernelTiming &timing);

/// Returns true if the profile has no flag, so that nothing tells of which kernel it is.
bool hasNoFlags(const CoreProfile &profile);

/// Finds arguments with which all the cores of a kernel fit their profiles; empty if it finds none. It tries the runs
/// that the replay would choose, and then each argument alone so that the number of flags comes out right. Each pair is
/// a core's kernel and its profile.
std::optional<replay::Inputs> findRun(const std::vector<std::pair<const Kernel *, const CoreProfile *>> &cores,
                                      const Machine &machine, const replay::Options &options, const CostTable &costs);

/// The count and the cycles of one thing, in the profile and in the estimate.
struct ProfileFigures {
  double profileCount = 0, profileCycles = 0, estimateCount = 0, estimateCycles = 0;
};

struct PipeComparison {
  Pipe pipe = Pipe::S;
  ProfileFigures work;
  double profileBusy = 0, estimateBusy = 0;                  // cycles in which some of it ran; profile: 0 without times
  std::map<std::string, double> profileNames, estimateNames; // counts
};

struct SyncComparisonRow {
  SyncKey sync; // without an id
  ProfileFigures figures;
  bool costKnown = true; // of the profile
};

struct ProfileComparison {
  std::vector<PipeComparison> pipes;       // those that do something in either
  std::vector<SyncComparisonRow> syncs;    // by key
  std::map<std::string, double> unmatched; // counts by queue, of what the estimate does not have
  double estimateCycles = 0;               // of the whole run
};

ProfileComparison compareProfile(const CoreProfile &profile, const KernelTiming &timing);

/// The time for which a sync of a recorded run keeps its pipe, in cycles: from when the pipe is free and the sync is
/// handed out until the next instruction may start.
struct SyncSpan {
  double start = 0, end = 0;
};

/// Returns one span for each operation; it is empty for an operation that is no sync.
std::vector<SyncSpan> syncSpans(const Plan &plan, const Timing &timing);

// Finds the executions of a profile that belong to each call of a run, as far as that is certain.
//
//   pipe V:  wait | call     | set | call call | wait ...      the run, every iteration
//            wait | VADD VADD| set | VADD VADD | wait ...      the profile
//                    = one           one by one
//
// Queues work in order, and what both sides name are the flags and barriers: between two of them stands the same work.
// Where as many instructions as calls stand there they belong together one by one; where it is one call, all of them
// are its; of the rest it is not known. Syncs of a kind that is not as frequent on both sides do not count: calls have
// barriers inside. Of a csv the same is done with addresses instead of executions, in the order of the code, which is
// that of the statements; an address belongs to a statement if it ran as often. Tested by
// tests/profile/profile_match_test.cpp.

struct AlignedCall {
  std::uint32_t operation = 0; // of the plan
  double start = 0, end = 0;   // cycles of the profile
  /// Cycles from this call's start to the start of the next one on the pipe, if no sync stands in between and the next
  /// one started before this one was finished.
  std::optional<double> distance;
  double count = 1; // executions of which this is the mean
};

struct Alignment {
  std::vector<AlignedCall> calls; // by pipe, then by start
  double unmatched = 0;           // calls of which it is not known what belongs to them
  std::vector<Pipe> disordered;   // pipes whose syncs stand in another order than the run's
};

/// Aligns a profile with a run. `timing` must have every iteration, and `profile` must be of that run
/// (syncDifferences). If the profile has no times, every call starts at 0.
Alignment alignProfile(const CoreProfile &profile, const KernelTiming &timing);

} // namespace ptosync::timing
