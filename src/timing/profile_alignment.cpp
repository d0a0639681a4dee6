#include "timing/profile_alignment.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync::timing {
namespace {

/// One thing in a queue: a sync, or work number `index` (a profile's event, or an operation).
struct QueueItem {
  std::optional<SyncKey> sync; // without an id
  std::uint32_t index = 0;
};

using Queue = std::vector<QueueItem>;

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
    SyncKey key{row.kind, row.source, row.destination, std::nullopt};
    if (row.kind == ProfileKind::Work && row.pipe == pipe)
      items.push_back({event.start, {std::nullopt, i}});
    else if (standsInQueue(key, pipe)) // a barrier of all stands where it ends
      items.push_back({key.source == Pipe::All ? event.end : event.start, {key, i}});
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
      if (operation.pipe == pipe && operation.throughput + operation.latency > 0)
        queue.push_back({std::nullopt, i});
      continue;
    }
    const replay::Event &event = timing.trace().events[operation.event];
    SyncKey key{operation.kind == Operation::Kind::Barrier ? ProfileKind::Barrier
                : operation.kind == Operation::Kind::Set   ? ProfileKind::Set
                                                           : ProfileKind::Wait,
                event.source, event.destination, std::nullopt};
    if (operation.kind == Operation::Kind::Barrier)
      key.destination = key.source;
    if (standsInQueue(key, pipe))
      queue.push_back({key, i});
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
  std::vector<SyncKey> syncs;
  std::vector<std::vector<std::uint32_t>> work; // one more than syncs
};

Segments cut(const Queue &queue, const std::set<SyncKey> &shared) {
  Segments segments;
  segments.work.emplace_back();
  for (const QueueItem &item : queue)
    if (!item.sync)
      segments.work.back().push_back(item.index);
    else if (shared.count(*item.sync)) {
      segments.syncs.push_back(*item.sync);
      segments.work.emplace_back();
    }
  return segments;
}

void alignSegment(const std::vector<std::uint32_t> &events, const std::vector<std::uint32_t> &calls,
                  const CoreProfile &profile, Alignment &alignment) {
  if (calls.empty())
    return;
  if (events.empty() || (calls.size() != 1 && calls.size() != events.size())) {
    alignment.unmatched += static_cast<double>(calls.size());
    return;
  }
  if (calls.size() == 1) {
    AlignedCall call{calls[0], profile.events[events.front()].start, 0, std::nullopt};
    for (std::uint32_t event : events)
      call.end = std::max(call.end, profile.events[event].end);
    alignment.calls.push_back(call);
    return;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const ProfileEvent &event = profile.events[events[i]];
    AlignedCall call{calls[i], event.start, event.end, std::nullopt};
    if (i + 1 < calls.size())
      if (double next = profile.events[events[i + 1]].start; next < event.end)
        call.distance = next - event.start;
    alignment.calls.push_back(call);
  }
}

} // namespace

Alignment alignProfile(const CoreProfile &profile, const KernelTiming &timing) {
  Alignment alignment;
  for (Pipe pipe : kPipes) {
    if (pipe == Pipe::S)
      continue;
    Queue recorded = recordedQueue(profile, pipe), issued = issuedQueue(timing, pipe);
    std::map<SyncKey, std::size_t> there = countSyncs(recorded);
    std::set<SyncKey> shared;
    for (const auto &[key, count] : countSyncs(issued))
      if (there[key] == count)
        shared.insert(key);
    Segments events = cut(recorded, shared), calls = cut(issued, shared);
    if (events.syncs != calls.syncs) {
      alignment.disordered.push_back(pipe);
      for (const std::vector<std::uint32_t> &segment : calls.work)
        alignment.unmatched += static_cast<double>(segment.size());
      continue;
    }
    for (std::size_t i = 0; i < calls.work.size(); ++i)
      alignSegment(events.work[i], calls.work[i], profile, alignment);
  }
  return alignment;
}

} // namespace ptosync::timing
