#include "timing/issue_fit.h"

#include "kernel/parallel.h"

#include <algorithm>
#include <cmath>

namespace ptosync::timing {
namespace {

/// Tried for both costs, in cycles.
constexpr double kIssueCandidates[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 56, 64};
/// Values with which the distances are at most so much worse than the best fit as well as it.
constexpr double kAsGood = 1.02, kAsGoodCycles = 0.05;
/// A value is known if those that fit as well lie within so many cycles, or this share of it.
constexpr double kKnownCycles = 2, kKnownShare = 0.25;

struct Distances {
  double error = 0; // mean of |estimated - recorded|
  double mean = 0;  // recorded
};

/// Between neighbouring calls of a pipe.
Distances distancesWith(const std::vector<IssueCore> &cores, const IssueCost &issue) {
  Distances distances;
  double count = 0;
  for (const IssueCore &core : cores) {
    Plan plan = core.plan;
    plan.issue = issue;
    EngineOptions options;
    options.record = true;
    Timing run = runEngine(plan, options);
    for (std::size_t i = 0; i + 1 < core.calls.size(); ++i) {
      const AlignedCall &call = core.calls[i], &next = core.calls[i + 1];
      if (plan.operations[call.operation].pipe != plan.operations[next.operation].pipe)
        continue;
      double recorded = next.start - call.start;
      distances.error += std::abs(run.slices[next.operation].start - run.slices[call.operation].start - recorded);
      distances.mean += recorded;
      ++count;
    }
  }
  distances.error /= std::max(count, 1.0);
  distances.mean /= std::max(count, 1.0);
  return distances;
}

/// The best value of one cost while the other stays, and the range of those as good.
struct Range {
  double best = 0, low = 0, high = 0, error = 0;
  bool known() const { return high - low <= std::max(2 * kKnownCycles, 2 * kKnownShare * best); }
};

Range bestOf(const std::vector<IssueCore> &cores, IssueCost issue, double IssueCost::*cost) {
  std::vector<double> errors(std::size(kIssueCandidates));
  runInParallel(errors.size(), [&](std::size_t i) {
    IssueCost tried = issue;
    tried.*cost = kIssueCandidates[i];
    errors[i] = distancesWith(cores, tried).error;
  });
  std::size_t best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  Range range{kIssueCandidates[best], kIssueCandidates[best], kIssueCandidates[best], errors[best]};
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] <= errors[best] * kAsGood + kAsGoodCycles) {
      range.low = std::min(range.low, kIssueCandidates[i]);
      range.high = std::max(range.high, kIssueCandidates[i]);
    }
  return range;
}

} // namespace

void takeMeasured(IssueCore &core) {
  for (const AlignedCall &call : core.calls) {
    Operation &operation = core.plan.operations[call.operation];
    double duration = call.end - call.start, modelled = operation.throughput + operation.latency;
    double throughput = call.distance ? *call.distance
                                      : std::min(duration, modelled > 0 ? duration * operation.throughput / modelled : 0);
    operation.throughput = throughput;
    operation.latency = duration - throughput;
  }
}

FittedEntry fitIssue(const std::vector<IssueCore> &cores, const IssueCost &before) {
  FittedEntry entry;
  entry.shape.group = CostShape::Group::Other;
  entry.sizes = 1;
  for (const IssueCore &core : cores)
    entry.executions += static_cast<double>(core.calls.size());
  IssueCost issue = before;
  Range sync, instruction;
  for (int round = 0; round < 3; ++round) { // one depends on the other a little
    sync = bestOf(cores, issue, &IssueCost::sync);
    if (sync.known())
      issue.sync = sync.best;
    instruction = bestOf(cores, issue, &IssueCost::instruction);
    if (instruction.known())
      issue.instruction = instruction.best;
  }
  auto add = [&](const char *name, double was, double is, const Range &range) {
    entry.parameters.push_back({name, was, is, (range.high - range.low) / 2, range.known()});
    if (!range.known())
      entry.reason += (entry.reason.empty() ? "" : "; ") + std::string(name) +
                      ": the pipes never waited for it, other values fit as well";
  };
  add("instruction", before.instruction, issue.instruction, instruction);
  add("sync", before.sync, issue.sync, sync);
  Distances first = distancesWith(cores, before), last = distancesWith(cores, issue);
  entry.residualBefore = first.mean > 0 ? first.error / first.mean : 0;
  entry.residualAfter = last.mean > 0 ? last.error / last.mean : 0;
  return entry;
}

} // namespace ptosync::timing
