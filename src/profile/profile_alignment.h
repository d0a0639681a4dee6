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
// tests/profile/profile_alignment_test.cpp.
#pragma once

#include "profile/profile_match.h"

namespace ptosync::timing {

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
