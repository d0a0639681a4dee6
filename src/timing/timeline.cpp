#include "timing/timeline.h"

#include <algorithm>

namespace ptosync::timing {
namespace {

/// Shorter waits for the scalar unit are its pace, not a stall.
constexpr double kShortestIssueStall = 8;

class Drawer {
public:
  Drawer(const Plan &plan, Timing timing) : plan(plan), timing(std::move(timing)) { lastWork.fill(kNone); }

  /// `waits`: of the scalar unit, for the other core.
  Timeline draw(const std::vector<CoreWait> &waits = {}) {
    for (const CoreWait &wait : waits)
      timeline.slices.push_back({TimelineSlice::Kind::Stall, Pipe::S, wait.from, wait.to, wait.to, 1, wait.operation,
                                 Held::Core, wait.operation});
    for (std::uint32_t i = 0; i < plan.operations.size(); ++i) {
      const Operation &operation = plan.operations[i];
      if (operation.kind == Operation::Kind::Work || operation.kind == Operation::Kind::Fence)
        addWork(i);
      else if (timing.slices[i].end > 0) // it was not left out
        addSync(i);
    }
    std::stable_sort(timeline.slices.begin(), timeline.slices.end(), [](const auto &a, const auto &b) {
      return a.pipe != b.pipe ? a.pipe < b.pipe : a.start < b.start;
    });
    for (const TimelineSlice &slice : timeline.slices)
      timeline.end = std::max({timeline.end, slice.end, slice.finish});
    return std::move(timeline);
  }

private:
  struct Pending {
    std::uint32_t set = kNone, wait = kNone;
    Pipe source = Pipe::S;
    double from = 0;
  };

  void addWork(std::uint32_t number) {
    const Operation &operation = plan.operations[number];
    const Slice &slice = timing.slices[number];
    bool stalled = slice.held == Held::Issue ? slice.start - slice.ready >= kShortestIssueStall
                                             : slice.held != Held::Nothing && slice.start > slice.ready;
    if (stalled && operation.pipe != Pipe::S)
      timeline.slices.push_back({TimelineSlice::Kind::Stall, operation.pipe, slice.ready, slice.start, slice.start,
                                 operation.weight, number, slice.held, slice.by});
    if (slice.end > slice.start) {
      timeline.slices.push_back({TimelineSlice::Kind::Work, operation.pipe, slice.start, slice.end, slice.finish,
                                 operation.weight, number, slice.held, slice.by});
      lastWork[index(operation.pipe)] = number;
      land(operation.pipe, slice);
    }
  }

  /// The arrows whose waits let this instruction go.
  void land(Pipe pipe, const Slice &slice) {
    for (const Pending &pending : waiting[index(pipe)])
      timeline.arrows.push_back({pending.set, pending.wait, pending.source, pipe, pending.from,
                                 (slice.start + std::min(slice.end, slice.start + 1)) / 2});
    waiting[index(pipe)].clear();
  }

  void addSync(std::uint32_t number) {
    const Operation &operation = plan.operations[number];
    const Slice &slice = timing.slices[number];
    if (slice.end > slice.start)
      timeline.slices.push_back({TimelineSlice::Kind::Sync, Pipe::S, slice.start, slice.end, slice.finish,
                                 operation.weight, number, slice.held, slice.by});
    if (operation.kind == Operation::Kind::Set) {
      std::uint32_t work = lastWork[index(operation.pipe)];
      if (work != kNone)
        sentFrom[number] =
            (std::max(timing.slices[work].start, timing.slices[work].end - 1) + timing.slices[work].end) / 2;
    } else if (operation.kind == Operation::Kind::Wait && slice.by != kNone) {
      auto sent = sentFrom.find(slice.by);
      if (sent != sentFrom.end())
        waiting[index(operation.pipe)].push_back({slice.by, number, operation.other, sent->second});
    }
  }

  const Plan &plan;
  Timing timing;
  Timeline timeline;
  std::array<std::uint32_t, kPipeCount> lastWork{};
  std::map<std::uint32_t, double> sentFrom; // by set: inside the instruction in front of it
  std::array<std::vector<Pending>, kPipeCount> waiting;
};

} // namespace

Timeline makeTimeline(const Plan &plan, const Sites &leftOut, bool dataFlow) {
  EngineOptions options;
  options.ignored = leftOut;
  options.dataFlow = dataFlow;
  options.record = true;
  return Drawer(plan, runEngine(plan, options)).draw();
}

Timeline makeTimeline(const Plan &plan, const CoresRun &run, std::size_t core) {
  std::vector<CoreWait> waits;
  for (const CoreWait &wait : run.waits)
    if (wait.core == core && wait.pipe == Pipe::S)
      waits.push_back(wait);
  return Drawer(plan, run.cores[core]).draw(waits);
}

std::string bytesOf(const KernelTiming &timing, std::uint32_t operation, const replay::ConflictRules &rules) {
  const replay::Event &event = timing.trace().events[timing.plan().operations[operation].event];
  if (event.kind != replay::Event::Kind::Instruction)
    return "";
  const replay::Work &work = timing.subject().works[timing.trace().instances[event.instance].work];
  std::string written, read;
  auto add = [](std::string &list, const std::string &bytes) {
    if (list.find(bytes) == std::string::npos)
      list += (list.empty() ? "" : ", ") + bytes;
  };
  for (const replay::Phase &phase : work.phases)
    for (const replay::Access &access : phase.accesses) {
      if (access.writes)
        add(written, rules.describe(access.bytes));
      if (access.reads)
        add(read, rules.describe(access.bytes));
    }
  return written + (read.empty() ? "" : " <- " + read);
}

} // namespace ptosync::timing
