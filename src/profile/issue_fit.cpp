#include "profile/issue_fit.h"

#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ptosync::timing {
namespace {

/// Tried for both costs, in cycles.
constexpr std::array<double, 16> kIssueCandidates = {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64};
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
    EngineOptions options;
    options.record = true;
    options.issue = issue;
    Timing run = runEngine(core.plan, options);
    for (std::size_t i = 0; i + 1 < core.calls.size(); ++i) {
      const AlignedCall &call = core.calls[i], &next = core.calls[i + 1];
      if (core.plan.operations[call.operation].pipe != core.plan.operations[next.operation].pipe)
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

/// The best value of one cost, and the range of those that are as good with some value of the other.
struct Range {
  double best = 0, low = 0, high = 0;
  bool known() const { return high - low <= std::max(2 * kKnownCycles, 2 * kKnownShare * best); }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct IssueRanges {
  Range instruction, sync;
};

/// All pairs are tried, since one may stand for the other.
IssueRanges bestIssue(const std::vector<IssueCore> &cores) {
  constexpr std::size_t kCount = kIssueCandidates.size();
  std::vector<double> errors(kCount * kCount);
  auto costAt = [](std::size_t i) { return IssueCost{kIssueCandidates[i / kCount], kIssueCandidates[i % kCount]}; };
  runInParallel(errors.size(), [&](std::size_t i) { errors[i] = distancesWith(cores, costAt(i)).error; });
  auto best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  IssueCost found = costAt(best);
  IssueRanges ranges{{found.instruction, found.instruction, found.instruction}, {found.sync, found.sync, found.sync}};
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] <= errors[best] * kAsGood + kAsGoodCycles) {
      ranges.instruction.add(costAt(i).instruction);
      ranges.sync.add(costAt(i).sync);
    }
  return ranges;
}

} // namespace

void takeMeasured(IssueCore &core) {
  for (const AlignedCall &call : core.calls) {
    Operation &operation = core.plan.operations[call.operation];
    double duration = call.end - call.start, modelled = operation.throughput + operation.latency;
    double throughput = call.distance
                            ? *call.distance
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
  IssueRanges ranges = bestIssue(cores);
  if (ranges.instruction.known())
    issue.instruction = ranges.instruction.best;
  if (ranges.sync.known())
    issue.sync = ranges.sync.best;
  auto add = [&](const char *name, double was, double is, const Range &range) {
    entry.parameters.push_back({name, was, is, (range.high - range.low) / 2, range.known()});
    if (!range.known())
      entry.reason += (entry.reason.empty() ? "" : "; ") + std::string(name) +
                      ": other values fit as well, the pipes hardly waited for it";
  };
  add("instruction", before.instruction, issue.instruction, ranges.instruction);
  add("sync", before.sync, issue.sync, ranges.sync);
  Distances first = distancesWith(cores, before), last = distancesWith(cores, issue);
  entry.residualBefore = first.mean > 0 ? first.error / first.mean : 0;
  entry.residualAfter = last.mean > 0 ? last.error / last.mean : 0;
  return entry;
}

} // namespace ptosync::timing
