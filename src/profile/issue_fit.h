// Fits what it costs the scalar unit to hand out a sync and an instruction, from the times at which everything started
// in a profile.
//
// Nothing records it by itself. The engine is run with one pair of values after the other, with the durations that were
// measured, and the values are taken with which neighbouring calls of each pipe start as far apart as they did. A value
// stays as it was if other ones do as well: then the scalar unit was never what the pipes waited for. Tested by
// tests/profile/issue_fit_test.cpp.
#pragma once

#include "profile/calibration.h"

namespace ptosync::timing {

struct IssueCore {
  Plan plan;
  std::vector<AlignedCall> calls; // by pipe, then by start
};

/// Gives the aligned calls of the plan the durations of the profile, and the throughputs that are known.
void takeMeasured(IssueCore &core);

/// Returns the entry "scalar unit" with the parameters "instruction" and "sync". Its residuals are those of the
/// distances between calls, in cycles for each call, relative to their mean.
FittedEntry fitIssue(const std::vector<IssueCore> &cores, const IssueCost &before);

} // namespace ptosync::timing
