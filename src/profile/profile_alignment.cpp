#include "profile/profile_alignment.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync::timing {
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
  for (Timed &timed : items)
    queue.push_back(std::move(timed.item));
  return queue;
}

Queue issuedQueue(const KernelTiming &timing, Pipe pipe) {
  Queue queue;
  const std::vector<Operation> &operations = timing.plan().operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation &operation = operations[i];
    if (operation.kind == Operation::Kind::Fence) // of what it does nothing is known
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
