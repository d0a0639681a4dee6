// Kernels whose two cores meet, timed together: what `opt --cost` says of them, and what the pages and traces draw.
//
// Tested by tests/tool/cost_test.cpp and tests/tool/timeline_test.cpp.
#pragma once

#include "report/drawn_runs.h"
#include "timing/cores.h"

#include <functional>
#include <string>
#include <vector>

namespace ptosync {

/// `timings`: of the module's kernels; they outlive what is returned.
std::vector<timing::JoinedCores> joinModule(const Module &module, const std::vector<timing::KernelTiming> &timings,
                                            const Machine &machine, const replay::Options &options,
                                            const timing::CostTable &costs);

/// "k: each core timed alone: why".
std::string apartLine(const timing::JoinedCores &joined);

/// The two cores of a joined kernel as they run together, without the sites left out; with `dataFlow` the timeline is
/// that of the limit.
std::vector<TimedKernel> timeTogether(const timing::JoinedCores &joined, const timing::Sites &leftOut = {},
                                      bool dataFlow = false);

/// Adds one run a core to what is drawn: "cube, before" and "vec, before".
void drawTogether(DrawnKernel &drawn, const std::string &label, const TimelineReport &report,
                  const std::vector<TimedKernel> &cores,
                  const std::function<std::uint32_t(std::uint32_t)> &shownLine = {});

} // namespace ptosync
