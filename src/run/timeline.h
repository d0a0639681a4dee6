// The page of `timeline`, and the times of a file, which other pages draw and report too.
//
//   texts --lift, time--> kernels, both cores joined --draw--> summary, trace, page
//           --profile--> the run that a recorded one may be of, beside it --calibrate--> durations fitted to it
//
// Tested by tests/tool/timeline_test.cpp, tests/tool/cost_test.cpp and tests/tool/profile_test.cpp.
#pragma once

#include "profile/profile_report.h"
#include "run/run.h"
#include "timing/cores.h"
#include "timing/cost_table.h"
#include "timing/timeline.h"

#include <llvm/Support/Error.h>

#include <functional>
#include <string>
#include <vector>

namespace ptosync {

/// Returns the built-in durations of the machine's architecture, under those of `choices.durationsText`.
/// Fails with a SettingError if that text is no table.
llvm::Expected<timing::CostTable> loadCosts(const Machine &machine, const RunChoices &choices);

/// Times every kernel that does any work, the cores of one kernel in the same run; by name, then as in the file.
/// Errors: an argument that no kernel has, of class replay::ArgumentError.
llvm::Expected<std::vector<timing::KernelTiming>> timeModule(const Module &module, const Machine &machine,
                                                             const replay::Options &options,
                                                             const timing::CostTable &costs);

/// Joins the kernels whose two cores meet. `timings`: of the module's kernels; they outlive what is returned.
std::vector<timing::JoinedCores> joinModule(const Module &module, const std::vector<timing::KernelTiming> &timings,
                                            const Machine &machine, const replay::Options &options,
                                            const timing::CostTable &costs);

/// Times the two cores of a joined kernel as they run together, without the sites left out; with `dataFlow` the
/// timeline is that of the limit.
std::vector<TimedKernel> timeTogether(const timing::JoinedCores &joined, const timing::Sites &leftOut = {},
                                      bool dataFlow = false);

struct TimelineRequest {
  bool limit = false;     // draw the data-flow limit instead of the estimate
  bool trace = false;     // write the trace
  bool page = false;      // write the page
  bool calibrate = false; // fit durations to the profile
  /// Reads the profile, whose trace counts in the cycles of this clock; empty: there is none.
  std::function<llvm::Expected<ReadProfiles>(double clockMHz)> profile = {};
};

/// The documents that were asked for.
struct Timelines {
  std::string summary, trace, page, durations; // durations: fitted
};

/// Errors: a SettingError for the durations and the profile; that the kernel cannot be read or timed.
llvm::Expected<Timelines> timeFile(const RunInput &input, const TimelineRequest &request);

} // namespace ptosync
