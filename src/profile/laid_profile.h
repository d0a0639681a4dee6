// A recorded run laid over the estimate, after it is certain that it may be one of this kernel.
//
//   ReadProfiles + KernelTimings --layProfile--> LaidProfile --profileText--> tables
//                                                            --calibrateProfile--> durations fitted to it
//
// The flags of both must agree (profile_match.h). Where they do not and no argument was given, a run is looked for
// whose flags do, and takes the place of the one that was timed. Tested by tests/tool/profile_test.cpp.
#pragma once

#include "profile/profile_report.h"

#include <llvm/Support/Error.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptosync {

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
