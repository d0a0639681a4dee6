// Kernels whose two cores meet, timed together: what `opt --cost` says of them, and what the pages and traces draw.
//
// Tested by tests/tool/cost_test.cpp and tests/tool/timeline_test.cpp.
#pragma once

#include "report/timeline_report.h"
#include "timing/cores.h"

#include <vector>

namespace ptosync {

/// `timings`: of the module's kernels; they outlive what is returned.
std::vector<timing::JoinedCores> joinModule(const Module &module, const std::vector<timing::KernelTiming> &timings,
                                            const Machine &machine, const replay::Options &options,
                                            const timing::CostTable &costs);

/// The two cores of a joined kernel as they run together, without the sites left out; with `dataFlow` the timeline is
/// that of the limit.
std::vector<TimedKernel> timeTogether(const timing::JoinedCores &joined, const timing::Sites &leftOut = {},
                                      bool dataFlow = false);

} // namespace ptosync
