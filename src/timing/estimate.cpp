#include "timing/estimate.h"

#include "base/parallel.h"
#include "replay/choose/run_choice.h"

#include <algorithm>
#include <map>

namespace ptosync::timing {
namespace {

/// What a loop does comes to repeat at once, when it does it only when its pipes run as far ahead of each other as its
/// syncs let them.
constexpr std::uint64_t kPeriodsFirst = 6;

using Subjects = std::vector<std::unique_ptr<replay::Subject>>;

/// Instructions that all of them issue; 0 if one does not come to its end.
std::size_t issuedBy(const Subjects &subjects, const replay::Inputs &inputs, const replay::Budget &budget) {
  std::size_t issued = 0;
  for (const auto &subject : subjects) {
    replay::RunRequest request;
    request.inputs = inputs;
    request.detail = replay::Detail::Scout;
    replay::Trace trace = replay::interpret(*subject, request, budget);
    if (trace.ending != replay::Ending::Returned)
      return 0;
    issued += trace.instances.size();
  }
  return issued;
}

replay::Inputs mostTelling(const Subjects &subjects, const replay::Options &options) {
  std::vector<replay::Inputs> runs;
  for (const auto &subject : subjects)
    for (replay::Inputs &inputs : replay::chooseRuns(*subject, options))
      if (std::find(runs.begin(), runs.end(), inputs) == runs.end())
        runs.push_back(std::move(inputs));
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0; i < runs.size() && runs.size() > 1; ++i)
    if (std::size_t issued = issuedBy(subjects, runs[i], options.budget); issued > most) {
      most = issued;
      best = i;
    }
  return runs[best];
}

/// Adds to the innermost loop and all around it.
void addTo(std::map<replay::LoopId, LoopEstimate> &loops, const replay::LoopNest &nest, replay::LoopId loop,
           double LoopEstimate::*what, double amount) {
  for (; loop != kNone; loop = nest.loops()[loop].parent)
    loops[loop].*what += amount;
}

/// Times each header was visited: the weight of a visit is that of the first operation in it.
void countIterations(std::map<replay::LoopId, LoopEstimate> &loops, const replay::Trace &trace, const Plan &plan) {
  std::vector<double> weights(trace.iterations.size(), 1);
  std::vector<bool> known(trace.iterations.size(), false);
  for (std::size_t i = 0; i < plan.operations.size(); ++i)
    for (std::uint32_t visit = trace.events[i].iteration; visit != kNone && !known[visit];
         visit = trace.iterations[visit].parent) {
      known[visit] = true;
      weights[visit] = plan.operations[i].weight;
    }
  for (std::size_t visit = 0; visit < trace.iterations.size(); ++visit)
    if (known[visit]) // a visit that issues nothing is the way out of the loop
      loops[trace.iterations[visit].loop].iterations += weights[visit];
}

} // namespace

std::vector<KernelTiming> timeCores(const std::vector<const Kernel *> &cores, const Machine &machine,
                                    const replay::Options &options, const CostTable &costs,
                                    const std::optional<replay::Inputs> &inputs, replay::Skipping skipping) {
  Subjects subjects;
  for (const Kernel *core : cores)
    subjects.push_back(std::make_unique<replay::Subject>(*core, machine, options));
  replay::Inputs chosen = inputs ? *inputs : mostTelling(subjects, options);
  std::vector<KernelTiming> timings;
  for (auto &subject : subjects)
    timings.emplace_back(std::move(subject), chosen, machine, options, costs, skipping);
  return timings;
}

KernelTiming::KernelTiming(std::unique_ptr<replay::Subject> subject, const replay::Inputs &inputs,
                           const Machine &machine, const replay::Options &options, const CostTable &costs,
                           replay::Skipping skipping)
    : replayed(std::move(subject)), chosen(inputs) {
  replay::RunRequest request;
  request.inputs = chosen;
  request.skipping = skipping;
  request.periodsFirst = kPeriodsFirst;
  request.estimate = true;
  run = replay::interpret(*replayed, request, options.budget);
  work = makePlan(*replayed, run, machine, replay::ConflictRules(machine, options), costs);
}

const Statement &statementOf(const KernelTiming &timing, std::uint32_t operation) {
  return *timing.trace().events[timing.plan().operations[operation].event].statement;
}

bool KernelTiming::works() const { return !run.instances.empty(); }

KernelEstimate KernelTiming::estimate(const Sites &leftOut) const {
  const Kernel &kernel = replayed->kernel;
  KernelEstimate estimate;
  estimate.kernel = kernel.name;
  estimate.section = kernel.section;
  estimate.line = kernel.line;
  estimate.run = replay::describe(chosen, kernel);
  estimate.extrapolated = work.extrapolated;
  estimate.cut = run.ending != replay::Ending::Returned;
  EngineOptions options;
  options.ignored = leftOut;
  Timing timing = runEngine(work, options);
  options.dataFlow = true;
  Timing limit = runEngine(work, options);
  estimate.cycles = timing.cycles;
  estimate.limit = limit.cycles;
  estimate.busy = timing.busy;
  std::map<replay::LoopId, LoopEstimate> loops;
  for (std::size_t i = 0; i < work.operations.size(); ++i) {
    const Operation &operation = work.operations[i];
    if (operation.kind == Operation::Kind::Work || operation.kind == Operation::Kind::Fence)
      estimate.instructions += operation.weight;
    addTo(loops, replayed->nest, operation.loop, &LoopEstimate::cycles, timing.added[i]);
    addTo(loops, replayed->nest, operation.loop, &LoopEstimate::limit, limit.added[i]);
  }
  countIterations(loops, run, work);
  for (auto &[id, loop] : loops) {
    loop.loop = id;
    loop.line = replayed->nest.loops()[id].line;
    loop.depth = replayed->nest.loops()[id].depth;
    estimate.loops.push_back(loop);
  }
  std::stable_sort(estimate.loops.begin(), estimate.loops.end(),
                   [](const LoopEstimate &a, const LoopEstimate &b) { return a.line < b.line; });
  return estimate;
}

std::vector<SyncCost> KernelTiming::syncCosts(const std::function<bool(SiteId)> &wanted, const Sites &leftOut) const {
  std::map<SiteId, SyncCost> found;
  for (const Operation &operation : work.operations)
    if (operation.site != kNone && wanted(operation.site)) {
      SyncCost &cost = found[operation.site];
      cost.site = operation.site;
      cost.executions += operation.weight;
      cost.loop = operation.loop;
    }
  EngineOptions options;
  options.ignored = leftOut;
  double whole = runEngine(work, options).cycles;
  std::vector<SyncCost> costs;
  costs.reserve(found.size());
  for (auto &[site, cost] : found)
    costs.push_back(cost);
  runInParallel(costs.size(), [&](std::size_t i) {
    EngineOptions without = options;
    without.ignored.resize(std::max<std::size_t>(without.ignored.size(), costs[i].site + 1));
    without.ignored[costs[i].site] = true;
    costs[i].gain = std::max(0.0, whole - runEngine(work, without).cycles);
  });
  return costs;
}

} // namespace ptosync::timing
