#include "profile/profile_match.h"

#include "replay/choose/run_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
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

/// No profile names them.
bool isBracket(const Operation &operation) {
  return operation.kind == Operation::Kind::Get || operation.kind == Operation::Kind::Release;
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
    if (isSync(operation) || isBracket(operation))
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
    if (isBracket(operation))
      continue;
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
    if (operation.pipe == Pipe::S || operation.kind == Operation::Kind::Fence || isBracket(operation))
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

namespace {

/// One thing in a queue: a sync, or work number `index` (a profile's event or address, or an operation).
struct QueueItem {
  std::optional<SyncKey> sync; // without an id
  std::uint32_t index = 0;
  double count = 1; // of a csv: executions of an address or statement
};

using Queue = std::vector<QueueItem>;

/// A barrier of all stands where it ends: what starts in that very tick was handed out before it, what is handed out
/// behind it starts a tick later at least.
constexpr double kBehindBarrier = 0.25;

bool standsInQueue(const SyncKey &key, Pipe pipe) {
  switch (key.kind) {
  case ProfileKind::Barrier: return key.source == pipe || key.source == Pipe::All;
  case ProfileKind::Set: return key.source == pipe;
  case ProfileKind::Wait: return key.destination == pipe;
  default: return false;
  }
}

Queue recordedQueue(const CoreProfile &profile, Pipe pipe) {
  struct Timed {
    double at = 0;
    QueueItem item;
  };
  std::vector<Timed> items;
  for (std::uint32_t i = 0; i < profile.events.size(); ++i) {
    const ProfileEvent &event = profile.events[i];
    const ProfileRow &row = profile.rows[event.row];
    SyncKey key = syncPairOf(row);
    if (row.kind == ProfileKind::Work && row.pipe == pipe)
      items.push_back({event.start, {std::nullopt, i}});
    else if (standsInQueue(key, pipe))
      items.push_back({key.source == Pipe::All ? event.end + kBehindBarrier : event.start, {key, i}});
  }
  std::stable_sort(items.begin(), items.end(), [](const Timed &a, const Timed &b) { return a.at < b.at; });
  Queue queue;
  for (const Timed &timed : items)
    queue.push_back(timed.item);
  return queue;
}

Queue issuedQueue(const KernelTiming &timing, Pipe pipe) {
  Queue queue;
  const std::vector<Operation> &operations = timing.plan().operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation &operation = operations[i];
    if (operation.kind == Operation::Kind::Fence || isBracket(operation)) // of what a fence does nothing is known
      continue;
    if (operation.kind == Operation::Kind::Work) {
      if (operation.pipe == pipe) // a signal too, of which the estimate says that it takes no time
        queue.push_back({std::nullopt, i});
      continue;
    }
    SyncKey key = syncPairOf(operation);
    if (standsInQueue(key, pipe))
      queue.push_back({key, i});
  }
  return queue;
}

Queue addressQueue(const CoreProfile &profile, Pipe pipe) {
  Queue queue;
  for (std::uint32_t i = 0; i < profile.addresses.size(); ++i) {
    const ProfileAddress &address = profile.addresses[i];
    const ProfileRow &row = profile.rows[address.row];
    SyncKey key = syncPairOf(row);
    if (row.kind == ProfileKind::Work && row.pipe == pipe)
      queue.push_back({std::nullopt, i, address.count});
    else if (standsInQueue(key, pipe))
      queue.push_back({key, i, address.count});
  }
  return queue;
}

/// Statements in place of their executions, in the order in which they first run.
Queue statementQueue(const KernelTiming &timing, const Queue &issued) {
  Queue queue;
  std::map<const Statement *, std::size_t> known;
  for (const QueueItem &item : issued) {
    const Operation &operation = timing.plan().operations[item.index];
    auto [place, fresh] = known.try_emplace(timing.trace().events[operation.event].statement, queue.size());
    if (fresh)
      queue.push_back({item.sync, item.index, 0});
    queue[place->second].count += operation.weight;
  }
  return queue;
}

std::map<SyncKey, std::size_t> countSyncs(const Queue &queue) {
  std::map<SyncKey, std::size_t> counts;
  for (const QueueItem &item : queue)
    if (item.sync)
      ++counts[*item.sync];
  return counts;
}

/// Cut at the syncs that both sides have as often.
struct Segments {
  std::vector<std::pair<SyncKey, double>> syncs; // with their counts
  std::vector<std::vector<QueueItem>> work;      // one more than syncs
};

Segments cut(const Queue &queue, const std::set<SyncKey> &shared) {
  Segments segments;
  segments.work.emplace_back();
  for (const QueueItem &item : queue)
    if (!item.sync)
      segments.work.back().push_back(item);
    else if (shared.count(*item.sync)) {
      segments.syncs.emplace_back(*item.sync, item.count);
      segments.work.emplace_back();
    }
  return segments;
}

using QueuedWork = std::vector<QueueItem>;

void alignSegment(const QueuedWork &events, const QueuedWork &calls, const CoreProfile &profile, Alignment &alignment) {
  if (calls.empty())
    return;
  if (events.empty() || (calls.size() != 1 && calls.size() != events.size())) {
    alignment.unmatched += static_cast<double>(calls.size());
    return;
  }
  auto at = [&](std::size_t i) -> const ProfileEvent & { return profile.events[events[i].index]; };
  if (calls.size() == 1) {
    AlignedCall call{calls[0].index, at(0).start, 0, std::nullopt, 1};
    for (std::size_t i = 0; i < events.size(); ++i)
      call.end = std::max(call.end, at(i).end);
    alignment.calls.push_back(call);
    return;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    AlignedCall call{calls[i].index, at(i).start, at(i).end, std::nullopt, 1};
    if (i + 1 < calls.size())
      if (double next = at(i + 1).start; next < call.end)
        call.distance = next - call.start;
    alignment.calls.push_back(call);
  }
}

/// Of several addresses for one call the sums say nothing: they may overlap.
void alignAddresses(const QueuedWork &addresses, const QueuedWork &calls, const CoreProfile &profile,
                    Alignment &alignment) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    bool same = addresses.size() == calls.size() && addresses[i].count == calls[i].count && calls[i].count > 0;
    if (same)
      alignment.calls.push_back({calls[i].index, 0, profile.addresses[addresses[i].index].cycles / calls[i].count,
                                 std::nullopt, calls[i].count});
    else
      alignment.unmatched += calls[i].count;
  }
}

} // namespace

Alignment alignProfile(const CoreProfile &profile, const KernelTiming &timing) {
  Alignment alignment;
  for (Pipe pipe : kPipes) {
    if (pipe == Pipe::S)
      continue;
    bool timed = profile.timed();
    Queue recorded = timed ? recordedQueue(profile, pipe) : addressQueue(profile, pipe);
    Queue issued = issuedQueue(timing, pipe);
    if (!timed)
      issued = statementQueue(timing, issued);
    std::map<SyncKey, std::size_t> there = countSyncs(recorded);
    std::set<SyncKey> shared;
    for (const auto &[key, count] : countSyncs(issued))
      if (there[key] == count)
        shared.insert(key);
    Segments events = cut(recorded, shared), calls = cut(issued, shared);
    if (events.syncs != calls.syncs) {
      alignment.disordered.push_back(pipe);
      for (const QueuedWork &segment : calls.work)
        for (const QueueItem &call : segment)
          alignment.unmatched += call.count;
      continue;
    }
    for (std::size_t i = 0; i < calls.work.size(); ++i)
      (timed ? alignSegment : alignAddresses)(events.work[i], calls.work[i], profile, alignment);
  }
  return alignment;
}

} // namespace ptosync::timing
