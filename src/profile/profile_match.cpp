#include "profile/profile_match.h"

#include "replay/choose/run_choice.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ptosync::timing {
namespace {

using KernelAndProfile = std::pair<const Kernel *, const CoreProfile *>;

constexpr int kMostSecantSteps = 4;

SyncKey pairOf(SyncKey key) {
  key.id.reset();
  return key;
}

bool isFlag(const ProfileRow &row) { return row.kind == ProfileKind::Set || row.kind == ProfileKind::Wait; }

bool isFlag(const Operation &operation) {
  return operation.kind == Operation::Kind::Set || operation.kind == Operation::Kind::Wait;
}

bool isSync(const Operation &operation) { return isFlag(operation) || operation.kind == Operation::Kind::Barrier; }

/// What is known of the ids of a profile's flags: those pairs that have one each time.
std::set<SyncKey> pairsWithIds(const CoreProfile &profile) {
  std::set<SyncKey> with, without;
  for (const ProfileRow &row : profile.rows)
    if (isFlag(row))
      (row.id ? with : without).insert(syncPairOf(row));
  for (const SyncKey &key : without)
    with.erase(key);
  return with;
}

/// How often: in the profile, in the run, and inside the run's library calls.
struct FlagCounts {
  double profile = 0, run = 0, inside = 0;
};

std::map<SyncKey, FlagCounts> countFlags(const CoreProfile &profile, const KernelTiming &timing) {
  std::set<SyncKey> byId = pairsWithIds(profile);
  std::map<SyncKey, FlagCounts> counts;
  std::set<SyncKey> inProfile;
  for (const ProfileRow &row : profile.rows)
    inProfile.insert(syncPairOf(row));
  auto at = [&](const SyncKey &key) -> FlagCounts & {
    SyncKey pair = pairOf(key);
    return counts[byId.count(pair) || !inProfile.count(pair) ? key : pair];
  };
  for (const ProfileRow &row : profile.rows)
    if (isFlag(row))
      at({row.kind, row.source, row.destination, row.id}).profile += row.count;
  for (const Operation &operation : timing.plan().operations) {
    const replay::Event &event = timing.trace().events[operation.event];
    if (isFlag(operation)) {
      SyncKey key = syncPairOf(operation);
      key.id = event.id;
      at(key).run += operation.weight;
    }
    if (isSync(operation))
      continue;
    for (const HiddenFlag &flag : timing.subject().works[timing.trace().instances[event.instance].work].flags)
      for (ProfileKind kind : {ProfileKind::Set, ProfileKind::Wait})
        at({kind, flag.source, flag.destination, flag.id}).inside += operation.weight;
  }
  return counts;
}

double flagsOf(const CoreProfile &profile) {
  double count = 0;
  for (const ProfileRow &row : profile.rows)
    if (isFlag(row))
      count += row.count;
  return count;
}

class RunFinder {
public:
  RunFinder(const std::vector<KernelAndProfile> &cores, const Machine &machine, const replay::Options &options,
            const CostTable &costs)
      : cores(cores), machine(machine), options(options), costs(costs) {
    for (const auto &[kernel, profile] : cores) {
      kernels.push_back(kernel);
      target += flagsOf(*profile);
    }
  }

  std::optional<replay::Inputs> find() {
    std::vector<replay::Inputs> chosen;
    std::vector<replay::NamedArgument> arguments;
    for (const Kernel *kernel : kernels) {
      replay::Subject subject(*kernel, machine, options);
      for (replay::Inputs &inputs : replay::chooseRuns(subject, options))
        if (std::find(chosen.begin(), chosen.end(), inputs) == chosen.end())
          chosen.push_back(std::move(inputs));
      for (const replay::NamedArgument &argument : replay::argumentsOf(subject))
        if (!argument.pointer && std::none_of(arguments.begin(), arguments.end(),
                                              [&](const auto &known) { return known.number == argument.number; }))
          arguments.push_back(argument);
    }
    replay::Inputs most;
    double mostFlags = -1;
    for (const replay::Inputs &inputs : chosen) {
      double flags = tryRun(inputs);
      if (fits)
        return inputs;
      if (flags > mostFlags) {
        mostFlags = flags;
        most = inputs;
      }
    }
    for (const replay::NamedArgument &argument : arguments)
      if (std::optional<replay::Inputs> found = vary(most, mostFlags, argument.number))
        return found;
    return std::nullopt;
  }

private:
  /// Flags of all cores; `fits` says whether they are the profile's.
  double tryRun(const replay::Inputs &inputs) {
    double flags = 0;
    fits = true;
    std::size_t core = 0;
    for (const KernelTiming &timing : timeCores(kernels, machine, options, costs, inputs)) {
      for (const Operation &operation : timing.plan().operations)
        if (isFlag(operation))
          flags += operation.weight;
      fits = fits && syncDifferences(*cores[core++].second, timing).empty();
    }
    return flags;
  }

  /// The number of flags mostly grows with an argument in a straight line.
  std::optional<replay::Inputs> vary(replay::Inputs inputs, double flags, std::uint32_t argument) {
    std::int64_t value = inputs.arguments.count(argument) ? inputs.arguments[argument] : 1;
    std::int64_t next = value * 2;
    for (int step = 0; step < kMostSecantSteps && next != value && next > 0; ++step) {
      inputs.arguments[argument] = next;
      double found = tryRun(inputs);
      if (fits)
        return inputs;
      double slope = (found - flags) / static_cast<double>(next - value);
      double wanted = static_cast<double>(next) + (target - found) / slope;
      if (slope == 0 || !std::isfinite(wanted) || wanted > 1e9)
        break;
      value = next;
      flags = found;
      next = std::llround(wanted);
    }
    return std::nullopt;
  }

  const std::vector<KernelAndProfile> &cores;
  const Machine &machine;
  const replay::Options &options;
  const CostTable &costs;
  std::vector<const Kernel *> kernels;
  double target = 0;
  bool fits = false;
};

void addProfile(const CoreProfile &profile, std::array<PipeComparison, kPipeCount> &pipes,
                std::map<SyncKey, SyncComparisonRow> &syncs, ProfileComparison &comparison) {
  for (const ProfileRow &row : profile.rows) {
    if (row.kind == ProfileKind::Work && row.pipe && *row.pipe != Pipe::All && *row.pipe != Pipe::S) {
      PipeComparison &pipe = pipes[index(*row.pipe)];
      pipe.work.profileCount += row.count;
      pipe.work.profileCycles += row.cycles;
      pipe.profileNames[row.name] += row.count;
      pipe.profileBusy = profile.busy[index(*row.pipe)];
    } else if (row.kind == ProfileKind::Work || row.kind == ProfileKind::Registers) {
      comparison.unmatched[row.queue + (row.kind == ProfileKind::Registers ? " registers" : "")] += row.count;
    } else {
      SyncComparisonRow &sync = syncs[syncPairOf(row)];
      sync.figures.profileCount += row.count;
      sync.figures.profileCycles += row.cycles;
    }
  }
}

} // namespace

SyncKey syncPairOf(const ProfileRow &row) { return {row.kind, row.source, row.destination, std::nullopt}; }

SyncKey syncPairOf(const Operation &operation) {
  switch (operation.kind) {
  case Operation::Kind::Set: return {ProfileKind::Set, operation.pipe, operation.other, std::nullopt};
  case Operation::Kind::Wait: return {ProfileKind::Wait, operation.other, operation.pipe, std::nullopt};
  default: return {ProfileKind::Barrier, operation.pipe, operation.pipe, std::nullopt};
  }
}

std::string syncText(const SyncKey &key) {
  std::string source(key.source == Pipe::All ? "PIPE_ALL" : pipeName(key.source));
  if (key.kind == ProfileKind::Barrier)
    return "pipe_barrier(" + source + ")";
  return std::string(key.kind == ProfileKind::Set ? "set_flag(" : "wait_flag(") + source + ", " +
         std::string(pipeName(key.destination)) + (key.id ? ", " + std::to_string(*key.id) : "") + ")";
}

bool hasNoFlags(const CoreProfile &profile) { return flagsOf(profile) == 0; }

std::vector<SyncDifference> syncDifferences(const CoreProfile &profile, const KernelTiming &timing) {
  std::map<SyncKey, FlagCounts> counts = countFlags(profile, timing);
  std::set<SyncKey> spelled;
  for (const auto &[key, count] : counts)
    if (count.run > 0)
      spelled.insert(pairOf(key));
  std::vector<SyncDifference> found;
  for (const auto &[key, count] : counts) {
    bool scalar = key.source == Pipe::S || key.destination == Pipe::S;
    bool compilers = scalar && !spelled.count(pairOf(key));
    if (count.profile != count.run && count.profile != count.run + count.inside && !compilers)
      found.push_back({key, count.profile, count.run});
  }
  return found;
}

std::optional<replay::Inputs> findRun(const std::vector<KernelAndProfile> &cores, const Machine &machine,
                                      const replay::Options &options, const CostTable &costs) {
  return RunFinder(cores, machine, options, costs).find();
}

std::vector<SyncSpan> syncSpans(const Plan &plan, const Timing &timing) {
  std::vector<SyncSpan> spans(plan.operations.size());
  std::array<double, kPipeCount> free{};
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const Operation &operation = plan.operations[i];
    const Slice &slice = timing.slices[i];
    bool all = operation.pipe == Pipe::All;
    if (!isSync(operation)) {
      free[index(operation.pipe)] = std::max(free[index(operation.pipe)], slice.end);
      continue;
    }
    double from = all ? slice.end : std::max(slice.end, free[index(operation.pipe)]);
    spans[i] = {from, std::max(from, slice.finish)};
    if (operation.kind == Operation::Kind::Set)
      continue; // what follows it on its pipe does not wait for it
    for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
      if (all || pipe == index(operation.pipe))
        free[pipe] = std::max(free[pipe], slice.finish);
  }
  return spans;
}

ProfileComparison compareProfile(const CoreProfile &profile, const KernelTiming &timing) {
  ProfileComparison comparison;
  std::array<PipeComparison, kPipeCount> pipes;
  std::map<SyncKey, SyncComparisonRow> syncs;
  addProfile(profile, pipes, syncs, comparison);
  const Plan &plan = timing.plan();
  EngineOptions options;
  options.record = true;
  Timing run = runEngine(plan, options);
  std::vector<SyncSpan> spans = syncSpans(plan, run);
  std::array<double, kPipeCount> reached{};
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const Operation &operation = plan.operations[i];
    const Slice &slice = run.slices[i];
    if (isSync(operation)) {
      SyncComparisonRow &sync = syncs[syncPairOf(operation)];
      sync.figures.estimateCount += operation.weight;
      sync.figures.estimateCycles += std::max(plan.issue.sync, spans[i].end - spans[i].start) * operation.weight;
      continue;
    }
    if (operation.pipe == Pipe::S || operation.kind == Operation::Kind::Fence)
      continue;
    PipeComparison &pipe = pipes[index(operation.pipe)];
    pipe.work.estimateCount += operation.weight;
    pipe.work.estimateCycles += (slice.finish - slice.start) * operation.weight;
    double &end = reached[index(operation.pipe)];
    pipe.estimateBusy += std::max(0.0, slice.finish - std::max(slice.start, end)) * operation.weight;
    end = std::max(end, slice.finish);
    const Statement &statement = *timing.trace().events[operation.event].statement;
    pipe.estimateNames[std::get<Instruction>(statement.action).name] += operation.weight;
  }
  for (Pipe pipe : kPipes) {
    pipes[index(pipe)].pipe = pipe;
    if (pipes[index(pipe)].work.profileCount + pipes[index(pipe)].work.estimateCount > 0)
      comparison.pipes.push_back(std::move(pipes[index(pipe)]));
  }
  for (auto &[key, row] : syncs) {
    row.sync = key;
    row.costKnown = profile.knowsCost(key.kind);
    comparison.syncs.push_back(row);
  }
  comparison.estimateCycles = run.cycles;
  return comparison;
}

} // namespace ptosync::timing
