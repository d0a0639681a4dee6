// `timeline --calibrate`: the table's parameters fitted to the profile that was laid over the estimate.
//
// Tested by tests/tool/profile_test.cpp.
#pragma once

#include "tool/profile_step.h"

namespace ptosync {

struct CalibratedProfile {
  std::string file, report; // to write, to print
};

/// An error if the profile does not say when each instruction ran, or determines nothing.
llvm::Expected<CalibratedProfile> calibrateProfile(const LaidProfile &laid, const Machine &machine,
                                                   const replay::Options &replay, const timing::CostTable &costs);

} // namespace ptosync
