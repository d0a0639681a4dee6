// A profile beside the estimate, as text: cycles together, by pipe, by kind of sync, and the parts that cannot be
// compared; and the durations that were fitted to it.
//
//   ProfileComparison --profileText--> tables: in the profile, estimated, ratio
//   Calibration --calibrationReport--> entries with their residuals and parameters
//
// Tested by tests/profile/profile_report_test.cpp and tests/profile/calibration_report_test.cpp.
#pragma once

#include "profile/calibration.h"
#include "profile/profile_match.h"

#include <nlohmann/json.hpp>

#include <cstddef>
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

/// The most executions of a profile that are drawn, counted from its start.
inline constexpr std::size_t kMostDrawnEvents = 200'000;

/// Returns the executions of a profile as events of a trace (timing/timeline_report.h), if it has times. Executions
/// that overlap in one queue stand on tracks below one another.
std::vector<nlohmann::ordered_json> profileEvents(const timing::CoreProfile &profile, double clockMHz);

/// Lists the entries of the table, how well they fit the profile before and after, and why the rest stays.
std::string calibrationReport(const timing::Calibration &calibration);

} // namespace ptosync
