#include "explain/storage_liveness.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

class Liveness {
public:
  Liveness(const Program &program, const std::vector<std::vector<StorageUse>> &uses) : program(program) {
    cut(uses);
    masks.resize(uses.size());
    for (NodeId node = 0; node < uses.size(); ++node)
      for (const StorageUse &use : uses[node])
        addMask(use, masks[node]);
  }

  LivePeak run() {
    solveForward();
    solveBackward();
    LivePeak peak;
    for (StepId step : program.order)
      measure(step, peak);
    return peak;
  }

private:
  /// What a node does to segments.
  struct Mask {
    BitSet touches, reads, writes, overwrites;
  };

  void cut(const std::vector<std::vector<StorageUse>> &uses) {
    std::set<std::int64_t> bounds;
    for (const std::vector<StorageUse> &ofNode : uses)
      for (const StorageUse &use : ofNode)
        for (const ByteRange &range : use.ranges) {
          bounds.insert(range.begin);
          bounds.insert(range.end);
        }
    for (std::int64_t bound : bounds) {
      if (!starts.empty())
        sizes.push_back(bound - starts.back());
      numbers[bound] = static_cast<std::uint32_t>(starts.size());
      starts.push_back(bound);
    }
    sizes.push_back(0);
  }

  BitSet none() const { return BitSet(static_cast<std::uint32_t>(starts.size())); }

  void addMask(const StorageUse &use, Mask &mask) const {
    if (mask.touches.empty())
      mask = {none(), none(), none(), none()};
    for (const ByteRange &range : use.ranges)
      for (std::uint32_t segment = numbers.at(range.begin); segment < numbers.at(range.end); ++segment) {
        mask.touches.insert(segment);
        if (use.scratch)
          continue;
        if (use.reads)
          mask.reads.insert(segment);
        if (use.writes)
          mask.writes.insert(segment);
        if (use.certain && use.writes && !use.reads)
          mask.overwrites.insert(segment);
      }
  }

  const Mask *maskOf(const Event &event) const {
    if (event.kind != Event::Kind::Access || masks[event.node].touches.empty())
      return nullptr;
    return &masks[event.node];
  }

  /// What may have been written before each step.
  void solveForward() {
    written.assign(program.steps.size(), none());
    for (bool again = true; again;) {
      again = false;
      for (StepId step : program.order) {
        BitSet state = written[step];
        for (const Event &event : program.steps[step])
          if (const Mask *mask = maskOf(event))
            state.unite(mask->writes);
        for (const Edge &edge : program.edges[step])
          again |= written[edge.to].unite(state);
      }
    }
  }

  /// What may be read behind each step.
  void solveBackward() {
    needed.assign(program.steps.size(), none());
    std::vector<BitSet> atEntry(program.steps.size(), none());
    for (bool again = true; again;) {
      again = false;
      for (auto step = program.order.rbegin(); step != program.order.rend(); ++step) {
        for (const Edge &edge : program.edges[*step])
          needed[*step].unite(atEntry[edge.to]);
        BitSet state = needed[*step];
        const std::vector<Event> &events = program.steps[*step];
        for (auto event = events.rbegin(); event != events.rend(); ++event)
          if (const Mask *mask = maskOf(*event)) {
            state.subtract(mask->overwrites);
            state.unite(mask->reads);
          }
        again |= atEntry[*step].unite(state);
      }
    }
  }

  void measure(StepId step, LivePeak &peak) const {
    const std::vector<Event> &events = program.steps[step];
    std::vector<BitSet> behind(events.size(), none()); // needed behind each event
    BitSet state = needed[step];
    for (std::size_t i = events.size(); i-- > 0;) {
      behind[i] = state;
      if (const Mask *mask = maskOf(events[i])) {
        state.subtract(mask->overwrites);
        state.unite(mask->reads);
      }
    }
    BitSet before = written[step];
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Mask *mask = maskOf(events[i]);
      if (!mask)
        continue;
      before.unite(mask->writes);
      BitSet live = behind[i];
      live.intersect(before);
      live.unite(mask->touches);
      std::int64_t bytes = 0;
      live.forEach([&](std::uint32_t segment) { bytes += sizes[segment]; });
      if (bytes > peak.bytes)
        peak = {bytes, events[i].node};
    }
  }

  const Program &program;
  std::vector<std::int64_t> starts, sizes; // of segments, by address
  std::map<std::int64_t, std::uint32_t> numbers;
  std::vector<Mask> masks;             // by node
  std::vector<BitSet> written, needed; // by step
};

} // namespace

LivePeak livePeak(const Program &program, const std::vector<std::vector<StorageUse>> &uses) {
  return Liveness(program, uses).run();
}

} // namespace ptosync
