#include "pipeline/cost_step.h"

#include "frontend/frontend.h"
#include "pipeline/cores_step.h"
#include "replay/choose/run_choice.h"

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

/// What one file's kernels are timed with.
struct Subjects {
  const Module &module;
  const Module *after; // null: nothing was moved or added
  const Machine &machine;
  const replay::Options &replay;
  const timing::CostTable &costs;
  std::vector<bool> removed; // by site
};

/// The kernel as it is in the result; empty where its syncs stand where they stood.
std::optional<KernelTiming> timeAfter(const KernelTiming &timing, const Subjects &subjects) {
  const Kernel *after = subjects.after ? kernelLike(*subjects.after, timing.subject().kernel) : nullptr;
  if (!after || !after->analysable)
    return std::nullopt;
  return std::move(
      timing::timeCores({after}, subjects.machine, subjects.replay, subjects.costs, timing.inputs()).front());
}

KernelCost costOf(const KernelTiming &timing, const std::optional<KernelTiming> &after, const Subjects &subjects) {
  KernelCost cost;
  cost.before = timing.estimate();
  cost.after = after ? after->estimate() : timing.estimate(subjects.removed);
  cost.removed = timing.syncCosts([&](SiteId site) { return subjects.removed[site]; });
  cost.kept = timing.syncCosts([&](SiteId site) { return !subjects.removed[site]; }, subjects.removed);
  return cost;
}

/// The same kernel in the result, as timeAfter; empty also where it is gone.
std::optional<timing::JoinedCores> joinAfter(const timing::JoinedCores &joined, const Subjects &subjects) {
  const Kernel *cube =
      subjects.after ? kernelLike(*subjects.after, joined.core(timing::kCubeCore).subject().kernel) : nullptr;
  const Kernel *vec =
      subjects.after ? kernelLike(*subjects.after, joined.core(timing::kVecCore).subject().kernel) : nullptr;
  if (!cube || !vec || !cube->analysable || !vec->analysable)
    return std::nullopt;
  return timing::JoinedCores({cube, vec}, joined.inputs(), subjects.machine, subjects.replay, subjects.costs);
}

CoresCost coresCost(const timing::JoinedCores &joined, const std::optional<timing::JoinedCores> &after,
                    const Subjects &subjects) {
  CoresCost cost{joined.name(), joined.apart(), {}, {}};
  if (cost.apart.empty() && after)
    cost.apart = after->apart();
  if (!cost.apart.empty())
    return cost;
  cost.before = joined.estimate();
  cost.after = after ? after->estimate() : joined.estimate(subjects.removed);
  return cost;
}

/// The runs before and after; those `ofResult`, another text, in the lines of the input.
DrawnKernel drawBoth(std::string name, const std::vector<TimedKernel> &before, const std::vector<TimedKernel> &after,
                     bool ofResult, const Subjects &subjects) {
  replay::ConflictRules rules(subjects.machine, subjects.replay);
  TimelineReport report{&subjects.module, subjects.machine.arch(), "", subjects.costs.clockMHz(), &rules, {}, {}};
  DrawnKernel drawn{std::move(name), {}};
  for (const TimedKernel &core : before)
    drawn.runs.push_back(drawRun("before", report, core));
  std::vector<std::uint32_t> lines;
  if (ofResult) {
    report.module = subjects.after;
    lines = originalLines(subjects.module.source, subjects.after->source);
  }
  for (const TimedKernel &core : after)
    drawn.runs.push_back(
        drawRun("after", report, core, [&](std::uint32_t line) { return line < lines.size() ? lines[line] : line; }));
  return drawn;
}

DrawnKernel drawCore(const KernelTiming &timing, const std::optional<KernelTiming> &after, const KernelCost &cost,
                     const Subjects &subjects) {
  const Kernel &kernel = timing.subject().kernel;
  TimedKernel before{&timing, cost.before, timing::makeTimeline(timing.plan(), {})};
  TimedKernel result = after ? TimedKernel{&*after, cost.after, timing::makeTimeline(after->plan(), {})}
                             : TimedKernel{&timing, cost.after, timing::makeTimeline(timing.plan(), subjects.removed)};
  return drawBoth(kernel.name + " (" + std::string(sectionName(kernel.section)) + ")", {std::move(before)},
                  {std::move(result)}, after.has_value(), subjects);
}

DrawnKernel drawCores(const timing::JoinedCores &joined, const std::optional<timing::JoinedCores> &after,
                      const Subjects &subjects) {
  return drawBoth(joined.name() + ", both cores together", timeTogether(joined),
                  after ? timeTogether(*after) : timeTogether(joined, subjects.removed), after.has_value(), subjects);
}

} // namespace

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

llvm::Expected<Costs> estimateCosts(const Module &module, const OptimizeResult &result, const std::string &patched,
                                    const Machine &machine, const timing::CostTable &table, const RunChoices &choices,
                                    Drawings drawings) {
  std::vector<bool> removed(module.sites.size(), false);
  bool moved = !result.added.empty();
  for (const SiteDecision &decision : result.decisions) {
    removed[decision.site] = decision.verdict == Verdict::Removed;
    moved |= decision.verdict == Verdict::Moved;
  }
  std::optional<Module> after;
  if (moved) {
    llvm::Expected<Module> lifted =
        liftModule(SourceText(module.source.name(), patched), frontendOptions(machine, choices));
    if (!lifted)
      return lifted.takeError();
    after = std::move(*lifted);
  }
  replay::Options replay = timingOptions(choices);
  llvm::Expected<std::vector<KernelTiming>> timings = timeModule(module, machine, replay, table);
  if (!timings)
    return timings.takeError();
  Subjects subjects{module, after ? &*after : nullptr, machine, replay, table, std::move(removed)};
  Costs costs;
  costs.report.clockMHz = table.clockMHz();
  costs.report.durations = table.overlaidBy();
  for (const KernelTiming &timing : *timings) {
    std::optional<KernelTiming> result = timeAfter(timing, subjects);
    costs.report.kernels.push_back(costOf(timing, result, subjects));
    if (drawings == Drawings::Made)
      costs.drawn.push_back(drawCore(timing, result, costs.report.kernels.back(), subjects));
  }
  for (const timing::JoinedCores &joined : joinModule(module, *timings, machine, replay, table)) {
    std::optional<timing::JoinedCores> result;
    if (joined.apart().empty())
      result = joinAfter(joined, subjects);
    costs.report.cores.push_back(coresCost(joined, result, subjects));
    if (drawings == Drawings::Made && costs.report.cores.back().apart.empty())
      costs.drawn.push_back(drawCores(joined, result, subjects));
  }
  return costs;
}

} // namespace ptosync
