#include "tool/cost_step.h"

#include "frontend/frontend.h"
#include "replay/run_choice.h"
#include "tool/session.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptosync {
namespace {

using timing::KernelTiming;

/// --arg names what no kernel has.
llvm::Error checkRunArguments(const std::map<std::string, std::vector<const Kernel *>> &byName, const Machine &machine,
                              const replay::Options &options) {
  if (options.arguments.empty())
    return llvm::Error::success();
  std::vector<std::unique_ptr<replay::Subject>> subjects;
  std::vector<const replay::Subject *> all;
  for (const auto &[name, cores] : byName)
    for (const Kernel *core : cores) {
      subjects.push_back(std::make_unique<replay::Subject>(*core, machine, options));
      all.push_back(subjects.back().get());
    }
  return replay::checkArguments(all, options);
}

const Kernel *sameKernel(const Module &module, const Kernel &like) {
  for (const Kernel &kernel : module.kernels)
    if (kernel.name == like.name && kernel.section == like.section && kernel.analysable)
      return &kernel;
  return nullptr;
}

struct Subjects {
  const Machine &machine;
  const replay::Options &replay;
  const timing::CostTable &costs;
  const std::vector<bool> &removed; // by site
  const Module *after;              // null: no flag was moved
};

KernelCost costOf(const KernelTiming &timing, const Subjects &subjects) {
  KernelCost cost;
  cost.before = timing.estimate();
  const Kernel *after = subjects.after ? sameKernel(*subjects.after, timing.subject().kernel) : nullptr;
  cost.after = after ? timing::timeCores({after}, subjects.machine, subjects.replay, subjects.costs, timing.inputs())
                           .front()
                           .estimate()
                     : timing.estimate(subjects.removed);
  cost.removed = timing.syncCosts([&](SiteId site) { return subjects.removed[site]; });
  cost.kept = timing.syncCosts([&](SiteId site) { return !subjects.removed[site]; }, subjects.removed);
  return cost;
}

} // namespace

replay::Options timingOptions(const ToolOptions &options) {
  replay::Options replay = replayOptions(options);
  replay.trust = Trust::Tile;
  replay.arguments = options.costArguments;
  return replay;
}

int failTiming(llvm::Error error) {
  int exitCode = error.isA<replay::ArgumentError>() ? kExitUsage : kExitNotAnalysed;
  return fail(std::move(error), exitCode);
}

llvm::Expected<std::vector<KernelTiming>> timeModule(const Module &module, const Machine &machine,
                                                     const replay::Options &options, const timing::CostTable &costs) {
  std::map<std::string, std::vector<const Kernel *>> byName;
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable)
      byName[kernel.name].push_back(&kernel);
  if (llvm::Error error = checkRunArguments(byName, machine, options))
    return std::move(error);
  std::vector<KernelTiming> timings;
  for (const auto &[name, cores] : byName)
    for (KernelTiming &timing : timing::timeCores(cores, machine, options, costs))
      if (timing.works())
        timings.push_back(std::move(timing));
  return timings;
}

llvm::Expected<CostReport> estimateCosts(const Module &module, const OptimizeResult &result,
                                         const std::string &patched, const Machine &machine,
                                         const ToolOptions &options) {
  llvm::Expected<timing::CostTable> costs = timing::CostTable::builtIn(machine.arch());
  if (!costs)
    return costs.takeError();
  std::vector<bool> removed(module.sites.size(), false);
  bool moved = false;
  for (const SiteDecision &decision : result.decisions) {
    removed[decision.site] = decision.verdict == Verdict::Removed;
    moved |= decision.verdict == Verdict::Moved;
  }
  std::optional<Module> after;
  if (moved) {
    llvm::Expected<Module> lifted =
        liftModule(SourceText(module.source.name(), patched), frontendOptions(machine, options));
    if (!lifted)
      return lifted.takeError();
    after = std::move(*lifted);
  }
  replay::Options replay = timingOptions(options);
  llvm::Expected<std::vector<KernelTiming>> timings = timeModule(module, machine, replay, *costs);
  if (!timings)
    return timings.takeError();
  Subjects subjects{machine, replay, *costs, removed, after ? &*after : nullptr};
  CostReport report;
  report.clockMHz = costs->clockMHz();
  for (const KernelTiming &timing : *timings)
    report.kernels.push_back(costOf(timing, subjects));
  return report;
}

} // namespace ptosync
