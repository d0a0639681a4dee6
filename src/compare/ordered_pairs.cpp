#include "compare/ordered_pairs.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ptosync::compare {
namespace {

using timing::Operation;

/// A barrier or a flag that has been passed and whose first dependent instruction is still to come.
struct Open {
  std::uint32_t barrier = kNone;           // operation; kNone: a flag
  std::uint32_t set = kNone, wait = kNone; // operations
};

class PairFinder {
public:
  explicit PairFinder(const timing::KernelTiming &timing)
      : timing(timing), operations(timing.plan().operations), sets(timing.plan().flags), taken(timing.plan().flags, 0) {
  }

  std::map<const Statement *, SyncRun> find() {
    for (now = 0; now < operations.size(); ++now) {
      const Operation &operation = operations[now];
      switch (operation.kind) {
      case Operation::Kind::Work: close(operation); break;
      case Operation::Kind::Fence: open = {}; break; // it orders everything by itself
      case Operation::Kind::Barrier: passBarrier(operation); break;
      case Operation::Kind::Set: passSet(operation); break;
      case Operation::Kind::Wait: passWait(operation); break;
      }
    }
    for (const auto &[statement, counts] : votes)
      runs[statement].pair = mostVotedFor(counts).second.pair;
    for (const auto &[statement, others] : halves)
      runs[statement].otherHalf = mostVotedFor(others).first;
    return std::move(runs);
  }

private:
  /// By the pipes of the two sides: what stands open there, by the operation that bounds what is earlier.
  using Sides = std::pair<Pipe, Pipe>;
  using Waiting = std::multimap<std::uint32_t, Open>;
  struct Votes {
    OrderedPair pair;
    std::uint64_t count = 0;
    std::uint64_t first = 0; // in the order in which they are found
  };

  /// Of equals the one that was found first.
  template <typename Counts> static const typename Counts::value_type &mostVotedFor(const Counts &counts) {
    return *std::max_element(counts.begin(), counts.end(), [](const auto &a, const auto &b) {
      return a.second.count != b.second.count ? a.second.count < b.second.count : a.second.first > b.second.first;
    });
  }

  const Statement *statement(std::uint32_t operation) const { return &timing::statementOf(timing, operation); }

  void passBarrier(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    open[{operation.pipe, operation.pipe}].emplace(now, Open{now, kNone, kNone});
  }

  void passSet(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    sets[operation.flag].push_back(now);
  }

  void passWait(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    std::vector<std::uint32_t> &fired = sets[operation.flag];
    if (taken[operation.flag] >= fired.size())
      return;
    std::uint32_t set = fired[taken[operation.flag]++];
    open[{operation.other, operation.pipe}].emplace(set, Open{kNone, set, now});
    for (auto [half, other] : {std::pair(set, now), std::pair(now, set)})
      ++halves[statement(half)].try_emplace(statement(other), Votes{{}, 0, ++serial}).first->second.count;
  }

  /// Ends what the data of an instruction shows to be ordered; the latest of what it depends on first.
  void close(const Operation &operation) {
    std::vector<std::uint32_t> earlier(timing.plan().dependences.begin() + operation.dependences,
                                       timing.plan().dependences.begin() + operation.dependencesEnd);
    std::sort(earlier.rbegin(), earlier.rend());
    for (std::uint32_t dependence : earlier) {
      Pipe pipe = operations[dependence].pipe;
      close({pipe, operation.pipe}, dependence);
      close({Pipe::All, Pipe::All}, dependence);
    }
  }

  void close(Sides sides, std::uint32_t dependence) {
    auto waiting = open.find(sides);
    if (waiting == open.end())
      return;
    auto first = waiting->second.upper_bound(dependence);
    for (auto at = first; at != waiting->second.end(); ++at)
      vote(at->second, dependence);
    waiting->second.erase(first, waiting->second.end());
  }

  void vote(const Open &sync, std::uint32_t dependence) {
    const replay::Trace &trace = timing.trace();
    auto iteration = [&](std::uint32_t operation) { return trace.events[operations[operation].event].iteration; };
    OrderedPair pair{statement(dependence), statement(now),
                     replay::loopCarried(trace, iteration(dependence), iteration(now))};
    for (std::uint32_t operation : {sync.barrier, sync.set, sync.wait}) {
      if (operation == kNone)
        continue;
      Votes &entry = votes[statement(operation)]
                         .try_emplace(std::make_tuple(pair.earlier, pair.later, pair.carried), Votes{pair, 0, ++serial})
                         .first->second;
      ++entry.count;
    }
  }

  const timing::KernelTiming &timing;
  const std::vector<Operation> &operations;
  std::map<Sides, Waiting> open;
  std::vector<std::vector<std::uint32_t>> sets; // by flag
  std::vector<std::size_t> taken;               // by flag
  std::map<const Statement *, SyncRun> runs;
  std::map<const Statement *, std::map<std::tuple<const Statement *, const Statement *, bool>, Votes>> votes;
  std::map<const Statement *, std::map<const Statement *, Votes>> halves; // of a set its waits, of a wait its sets
  std::uint64_t serial = 0;
  std::uint32_t now = 0; // the operation at hand
};

} // namespace

std::map<const Statement *, SyncRun> orderedPairs(const timing::KernelTiming &timing) {
  return PairFinder(timing).find();
}

std::map<const Statement *, double> executionsOf(const timing::KernelTiming &timing) {
  std::map<const Statement *, double> executions;
  const std::vector<Operation> &operations = timing.plan().operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i)
    if (operations[i].kind == Operation::Kind::Work || operations[i].kind == Operation::Kind::Fence)
      executions[&timing::statementOf(timing, i)] += operations[i].weight;
  return executions;
}

} // namespace ptosync::compare
