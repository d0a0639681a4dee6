#include "pipeline/cores_step.h"

#include "replay/choose/run_choice.h"

namespace ptosync {

std::vector<timing::JoinedCores> joinModule(const Module &module, const std::vector<timing::KernelTiming> &timings,
                                            const Machine &machine, const replay::Options &options,
                                            const timing::CostTable &costs) {
  auto timingOf = [&](const Kernel *kernel) -> const timing::KernelTiming * {
    for (const timing::KernelTiming &timing : timings)
      if (&timing.subject().kernel == kernel)
        return &timing;
    return nullptr;
  };
  std::vector<timing::JoinedCores> joined;
  for (const timing::CorePair &pair : timing::corePairs(module.kernels, machine))
    joined.emplace_back(pair, std::array{timingOf(pair.cube), timingOf(pair.vec)}, machine, options, costs);
  return joined;
}

std::vector<TimedKernel> timeTogether(const timing::JoinedCores &joined, const timing::Sites &leftOut, bool dataFlow) {
  auto run = [&](bool withoutSyncs, bool record) {
    timing::EngineOptions options;
    options.ignored = leftOut;
    options.dataFlow = withoutSyncs;
    options.record = record;
    return joined.run(options);
  };
  timing::CoresRun drawn = run(dataFlow, true), other = run(!dataFlow, false);
  const timing::CoresRun &limit = dataFlow ? drawn : other, &estimated = dataFlow ? other : drawn;
  std::vector<TimedKernel> cores;
  for (std::size_t core = 0; core < drawn.cores.size(); ++core) {
    const timing::KernelTiming &timing = joined.core(core);
    TimedKernel timed{&timing, {}, timing::makeTimeline(timing.plan(), drawn, core), true};
    timed.estimate.kernel = timing.subject().kernel.name;
    timed.estimate.section = timing.subject().kernel.section;
    timed.estimate.run = replay::describe(joined.inputs(), timing.subject().kernel);
    timed.estimate.cycles = estimated.cores[core].cycles;
    timed.estimate.limit = limit.cores[core].cycles;
    cores.push_back(std::move(timed));
  }
  return cores;
}

} // namespace ptosync
