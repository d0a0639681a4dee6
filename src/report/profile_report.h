// Prints a profile beside the estimate, as text: cycles altogether, by pipe, by kind of sync, and what can't be
// compared.
//
//   ProfileComparison --profileText--> tables: in the profile, estimated, ratio
//
// Tested by tests/report/profile_report_test.cpp.
#pragma once

#include "timing/profile_match.h"

#include <string>
#include <vector>

namespace ptosync {

struct ProfiledKernel {
  std::string kernel, run;
  Section section = Section::Both;
  bool runFound = false;                        // looked for, since the one that is timed otherwise does not fit
  const timing::CoreProfile *profile = nullptr; // never null
  std::vector<std::string> otherCores;          // of the same kind
  timing::ProfileComparison comparison;
};

std::string profileText(const std::vector<ProfiledKernel> &kernels);

/// Returns "FILE: core0.veccore0 is of another kernel or run than k (vec) with n=1: ...", with what differs and what to
/// do. `arguments` are those that the user may give.
std::string otherKernelText(const timing::CoreProfile &profile, const timing::KernelEstimate &estimate,
                            const std::vector<timing::SyncDifference> &differences,
                            const std::vector<std::string> &arguments);

} // namespace ptosync
