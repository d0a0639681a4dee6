// Estimates what one kernel costs: the cycles as it is and with some syncs taken out, the data-flow limit, loops, each
// sync.
//
//   Kernel --chosen run--> Trace --> Plan --engine--> KernelEstimate
//
// One run stands for the kernel: of those that the replay chooses, the one that issues most on its cores together. Its
// arguments are part of the answer, and can be fixed (replay::Options::arguments). All figures are estimates: ratios of
// two forms of one kernel are what they are good for. Knows nothing of decisions. Tested by
// tests/timing/estimate_test.cpp.
#pragma once

#include "timing/engine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptosync::timing {

struct LoopEstimate {
  replay::LoopId loop = kNone;
  std::uint32_t line = 0, depth = 0; // depth 0: outermost
  double iterations = 0;             // of the run, those left out counted
  double cycles = 0, limit = 0;      // inner loops included
};

/// The cycles that the kernel would gain without one sync, data still in order.
struct SyncCost {
  SiteId site = kNone;
  double gain = 0; // cycles, of the whole run
  double executions = 0;
  replay::LoopId loop = kNone; // innermost around it
};

struct KernelEstimate {
  std::string kernel;
  Section section = Section::Both;
  std::uint32_t line = 0;
  std::string run;           // "n=9, get_block_idx()=0"
  bool extrapolated = false; // iterations that repeat were not simulated one by one
  bool cut = false;          // the run was stopped before its end
  double instructions = 0;
  double cycles = 0, limit = 0;
  std::array<double, kPipeCount> busy{}; // cycles in which each pipe is held
  std::vector<LoopEstimate> loops;       // by line
  /// Returns the time as a multiple of the data-flow limit; 1 where there is no time at all.
  double over() const { return limit > 0 ? cycles / limit : 1; }
};

/// The sites to leave out: true at the number of each.
using Sites = std::vector<bool>;

/// One kernel with the run that stands for it.
class KernelTiming {
public:
  /// Runs the kernel with `inputs`. If `skipping` is forbidden every iteration is run, for users that compare
  /// executions one by one.
  KernelTiming(std::unique_ptr<replay::Subject> subject, const replay::Inputs &inputs, const Machine &machine,
               const replay::Options &options, const CostTable &costs,
               replay::Skipping skipping = replay::Skipping::Allowed);

  KernelEstimate estimate(const Sites &leftOut = {}) const;
  /// Returns for each wanted site that the run executes, in the order of their numbers, the cycles that leaving it out
  /// alone gains when the sites of `leftOut` are gone already.
  std::vector<SyncCost> syncCosts(const std::function<bool(SiteId)> &wanted, const Sites &leftOut = {}) const;

  const replay::Inputs &inputs() const { return chosen; }
  const replay::Subject &subject() const { return *replayed; }
  const replay::Trace &trace() const { return run; }
  const Plan &plan() const { return work; }
  /// Returns false if the run issues nothing but syncs.
  bool works() const;

private:
  std::unique_ptr<replay::Subject> replayed;
  replay::Inputs chosen;
  replay::Trace run;
  Plan work;
};

/// Times the cores of one kernel in the same run: the one with `inputs`, or, of the runs that the replay would compare,
/// the one in which the cores issue most together.
std::vector<KernelTiming> timeCores(const std::vector<const Kernel *> &cores, const Machine &machine,
                                    const replay::Options &options, const CostTable &costs,
                                    const std::optional<replay::Inputs> &inputs = std::nullopt,
                                    replay::Skipping skipping = replay::Skipping::Allowed);

/// Returns the statement of an operation of the plan.
const Statement &statementOf(const KernelTiming &timing, std::uint32_t operation);

} // namespace ptosync::timing
