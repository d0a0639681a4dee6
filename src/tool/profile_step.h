// `timeline --profile`: a recorded run laid over the estimate, after it is certain that it may be one of this kernel.
//
// The run that is timed is replaced by one whose flags agree with the profile's, where there is one and no argument was
// given. Tested by tests/tool/profile_test.cpp.
#pragma once

#include "report/profile_report.h"
#include "tool/options.h"
#include "tool/profile_files.h"

#include <llvm/Support/Error.h>

#include <vector>

namespace ptosync {

struct LaidProfile {
  ReadProfiles profiles;
  std::vector<timing::KernelTiming> timings; // of the kernels that the profile fits, in the run that it fits
  std::vector<std::size_t> timed;            // by kernel: which of `timings`
  std::vector<ProfiledKernel> kernels;
};

/// `timings`: of the whole file. Nothing moves once it is returned: the parts refer to one another.
llvm::Expected<std::unique_ptr<LaidProfile>> layProfile(const TimelineCommandOptions &asked,
                                                        std::vector<timing::KernelTiming> timings,
                                                        const Machine &machine, const replay::Options &replay,
                                                        const timing::CostTable &costs);

} // namespace ptosync
