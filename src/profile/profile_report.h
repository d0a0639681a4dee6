// Lays a recorded run over the estimate, once it is certain that it may be one of this kernel, and prints both beside
// each other.
#pragma once

#include "profile/calibration.h"
#include "profile/profile_match.h"

#include <llvm/Support/Error.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptosync {

// A profile beside the estimate, as text: cycles together, by pipe, by kind of sync, and the parts that cannot be
// compared; and the durations that were fitted to it.
//
//   ProfileComparison --profileText--> tables: in the profile, estimated, ratio
//   Calibration --calibrationReport--> entries with their residuals and parameters
//
// Tested by tests/profile/profile_report_test.cpp and tests/profile/calibration_report_test.cpp.

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

/// Returns the executions of a profile as events of a trace (timing/timeline.h), if it has times. Executions
/// that overlap in one queue stand on tracks below one another.
std::vector<nlohmann::ordered_json> profileEvents(const timing::CoreProfile &profile, double clockMHz);

/// Lists the entries of the table, how well they fit the profile before and after, and why the rest stays.
std::string calibrationReport(const timing::Calibration &calibration);

// A recorded run laid over the estimate, after it is certain that it may be one of this kernel.
//
//   ReadProfiles + KernelTimings --layProfile--> LaidProfile --profileText--> tables
//                                                            --calibrateProfile--> durations fitted to it
//
// The flags of both must agree (profile_match.h). Where they do not and no argument was given, a run is looked for
// whose flags do, and takes the place of the one that was timed. Tested by tests/tool/profile_test.cpp.

/// A recorded run, as far as it was read: one core of each kind.
struct ReadProfiles {
  std::map<Section, timing::CoreProfile> profiles, drawn; // Cube, Vec; drawn: with times, where `profiles` has none
  std::map<Section, std::vector<std::string>> others;     // cores of the same kind, not read
};

/// A recorded run and the runs that it fits. The parts refer to one another, so that nothing moves once it is made.
struct LaidProfile {
  ReadProfiles profiles;
  std::vector<timing::KernelTiming> timings; // of the kernels that the profile fits, in the run that it fits
  std::vector<std::size_t> timed;            // by kernel: which of `timings`
  std::vector<ProfiledKernel> kernels;
};

/// `timings`: of the whole file. Fails if the profile is of another kernel or run.
llvm::Expected<std::unique_ptr<LaidProfile>> layProfile(ReadProfiles profiles,
                                                        std::vector<timing::KernelTiming> timings,
                                                        const Machine &machine, const replay::Options &replay,
                                                        const timing::CostTable &costs);

struct CalibratedProfile {
  std::string file, report; // to write, to print
};

/// Fits the parameters of the table to the profile. Fails if the profile does not say when each instruction ran, or
/// determines nothing.
llvm::Expected<CalibratedProfile> calibrateProfile(const LaidProfile &laid, const Machine &machine,
                                                   const replay::Options &replay, const timing::CostTable &costs);

} // namespace ptosync
