#include "replay/judge/schedule.h"

#include "replay/judge/brackets.h"

#include <algorithm>

namespace ptosync::replay {

namespace {

/// One entry of a pipe's queue.
struct Entry {
  enum class Kind : std::uint8_t {
    Phase,
    Barrier,
    Meeting,
    Set,
    Wait,
    InsideSet,
    InsideWait,
    Gate,
    Get,
    Release,
  };
  Kind kind = Kind::Phase;
  std::uint32_t event = 0;
  PhaseRef phase;         // Phase
  std::uint32_t flag = 0; // flags: index into Queues::flags; Gate: the wait's number among gates; Release: its number
                          // among releases; Get: its number among gets
};

using Queue = std::vector<Entry>;

/// The queue that each pipe is handed, in order.
class Dispatch {
public:
  Dispatch(const Trace &trace, const WorkTable &works, const OrderRules &rules)
      : trace(trace), works(works), scalarWaits(rules.scalarWaits), openBrackets(rules.openBrackets),
        bufferIds(rules.bufferIds) {
    if (openBrackets == OpenBrackets::OrderNothing)
      findOpenIds();
    for (std::uint32_t event = 0; event < trace.events.size(); ++event)
      add(event);
  }
  std::array<Queue, kPipeCount> queues;
  std::vector<Flag> flags;
  std::uint32_t gates = 0;
  std::vector<Clock> told; // by release: what it tells of whatever its pipe knows; in queue entries
  std::vector<std::vector<std::uint32_t>> awaited; // by get: numbers of releases

private:
  void add(std::uint32_t number) {
    const Event &event = trace.events[number];
    switch (event.kind) {
    case Event::Kind::Instruction: return addInstance(number);
    case Event::Kind::Barrier:
      if (event.source != Pipe::All)
        return push(event.source, {Entry::Kind::Barrier, number, {}, 0});
      for (Pipe pipe : kPipes)
        push(pipe, {Entry::Kind::Meeting, number, {}, 0});
      return;
    case Event::Kind::SetFlag: return push(event.source, {Entry::Kind::Set, number, {}, flagOf(event)});
    case Event::Kind::WaitFlag:
      push(event.destination, {Entry::Kind::Wait, number, {}, flagOf(event)});
      if (event.destination == Pipe::S && scalarWaits == ScalarWaits::HoldDispatch)
        pushGate(number);
      return;
    case Event::Kind::GetBuffer:
    case Event::Kind::ReleaseBuffer: return addBuffer(number);
    }
  }

  /// The ids of which a bracket is amiss or does not block.
  void findOpenIds() {
    amiss = idsAmiss(bracketFaults(trace, trace.ending == Ending::Returned));
    for (const Event &event : trace.events) {
      if (!event.isBuffer())
        continue;
      if (std::get<Sync>(event.statement->action).mode != BufferMode::Blocking)
        amiss.insert(event.id);
      // Which bits of an id count that the machine does not have is not said: it may be any.
      anyAmiss = anyAmiss || event.id < 0 || event.id >= bufferIds;
    }
  }

  /// A get waits for the last release in front of it that each other pipe has made of its id: that one comes after all
  /// others of that pipe. A release that does not block may tell of all that was handed out before it, or of nothing.
  void addBuffer(std::uint32_t number) {
    const Event &event = trace.events[number];
    const BufferMode mode = std::get<Sync>(event.statement->action).mode;
    if (openBrackets == OpenBrackets::OrderNothing && (anyAmiss || amiss.count(event.id)))
      return;
    auto &last = lastReleases[event.id];
    if (event.kind == Event::Kind::ReleaseBuffer) {
      last[event.source] = static_cast<std::uint32_t>(told.size());
      push(event.source, {Entry::Kind::Release, number, {}, static_cast<std::uint32_t>(told.size())});
      Clock &all = told.emplace_back();
      for (std::size_t pipe = 0; mode != BufferMode::Blocking && pipe < kPipeCount; ++pipe)
        all[pipe] = static_cast<std::uint32_t>(queues[pipe].size());
      return;
    }
    if (mode == BufferMode::NonBlocking)
      return;
    push(event.source, {Entry::Kind::Get, number, {}, static_cast<std::uint32_t>(awaited.size())});
    std::vector<std::uint32_t> &those = awaited.emplace_back();
    for (const auto &[pipe, release] : last)
      if (pipe != event.source)
        those.push_back(release);
    if (event.source == Pipe::S && scalarWaits == ScalarWaits::HoldDispatch)
      pushGate(number);
  }

  void addInstance(std::uint32_t number) {
    std::uint32_t instance = trace.events[number].instance;
    const Work &work = works[trace.instances[instance].work];
    auto flag = [&](const HiddenFlag &hidden) { return flagNumber({hidden.source, hidden.destination, hidden.id}); };
    for (const HiddenFlag &hidden : work.flags)
      push(hidden.source, {Entry::Kind::InsideSet, number, {}, flag(hidden)});
    for (std::uint32_t phase = 0; phase < work.phases.size(); ++phase)
      push(work.phases[phase].pipe,
           {work.phases[phase].barrier ? Entry::Kind::Barrier : Entry::Kind::Phase, number, {instance, phase}, 0});
    for (const HiddenFlag &hidden : work.flags)
      push(hidden.destination, {Entry::Kind::InsideWait, number, {}, flag(hidden)});
    bool scalar =
        std::any_of(work.phases.begin(), work.phases.end(), [](const Phase &phase) { return phase.pipe == Pipe::S; });
    if (scalar && scalarWaits == ScalarWaits::HoldDispatch)
      pushGate(number);
  }
  /// Nothing behind it starts on any pipe before the scalar pipe has come here.
  void pushGate(std::uint32_t event) {
    for (Pipe pipe : kPipes)
      push(pipe, {Entry::Kind::Gate, event, {}, gates});
    ++gates;
  }
  void push(Pipe pipe, const Entry &entry) { queues[index(pipe)].push_back(entry); }
  std::uint32_t flagOf(const Event &event) { return flagNumber({event.source, event.destination, event.id}); }
  std::uint32_t flagNumber(const Flag &flag) {
    auto [known, inserted] = numbers.try_emplace(flag, static_cast<std::uint32_t>(flags.size()));
    if (inserted)
      flags.push_back(flag);
    return known->second;
  }

  const Trace &trace;
  const WorkTable &works;
  ScalarWaits scalarWaits;
  OpenBrackets openBrackets;
  std::int64_t bufferIds;
  std::set<std::int64_t> amiss; // buffer ids
  bool anyAmiss = false;        // all of them
  std::map<Flag, std::uint32_t> numbers;
  std::map<std::int64_t, std::map<Pipe, std::uint32_t>> lastReleases; // by buffer id and pipe
};

using Path = std::vector<const Statement *>;

/// Follows one fact, "entry `position` of `pipe` is complete", from queue to queue.
struct Watch {
  PhaseRef later; // where the answer is wanted
  Pipe pipe = Pipe::S;
  std::uint32_t position = 0;
  std::array<Path, kPipeCount> paths;      // by queue: the syncs the fact came through, once known
  std::vector<std::vector<Path>> rowPaths; // by flag and set
  std::vector<Path> gatePaths;
  std::vector<Path> releasePaths;
  Path answer;
};

class Runner {
public:
  Runner(const Trace &trace, const WorkTable &works, const OrderRules &rules)
      : trace(trace), works(works), rules(rules), dispatch(trace, works, rules), rows(dispatch.flags.size()),
        histories(dispatch.flags.size()), waitsDone(dispatch.flags.size(), 0), gates(dispatch.gates),
        released(dispatch.told.size()) {
    for (Pipe pipe : kPipes)
      numberPhases(pipe);
  }

  /// Also answers `orderedBy`: the path to the phase `later`.
  Path watch(PhaseRef later, Pipe pipe, std::uint32_t ordinal) {
    watched.emplace();
    watched->later = later;
    watched->pipe = pipe;
    const std::vector<std::uint32_t> &before = phasesBefore[index(pipe)];
    watched->position =
        static_cast<std::uint32_t>(std::upper_bound(before.begin(), before.end(), ordinal) - before.begin()) - 1;
    watched->rowPaths.resize(dispatch.flags.size());
    watched->gatePaths.resize(dispatch.gates);
    watched->releasePaths.resize(dispatch.told.size());
    run();
    return watched->answer;
  }

  Schedule run() {
    prepare();
    bool moved = true;
    while (moved) {
      moved = false;
      for (Pipe pipe : kPipes)
        while (advance(pipe))
          moved = true;
      if (meet())
        moved = true;
    }
    finish();
    return std::move(schedule);
  }

private:
  struct Row {
    Clock known{}; // queue entries
  };
  struct OpenGate { // or a release that was executed
    bool open = false;
    Clock known{};
  };

  void prepare() {
    schedule.starts.resize(trace.instances.size());
    schedule.started.assign(trace.instances.size(), false);
    unstarted.assign(trace.instances.size(), 0);
    for (std::size_t i = 0; i < trace.instances.size(); ++i) {
      const Work &work = works[trace.instances[i].work];
      schedule.starts[i].resize(work.phases.size());
      for (const Phase &phase : work.phases)
        unstarted[i] += !phase.barrier;
      schedule.started[i] = unstarted[i] == 0;
    }
  }

  /// phasesBefore[p][n]: phases among the first n entries of the queue of p.
  void numberPhases(Pipe pipe) {
    std::vector<std::uint32_t> &before = phasesBefore[index(pipe)];
    for (const Entry &entry : dispatch.queues[index(pipe)]) {
      before.push_back(static_cast<std::uint32_t>(schedule.phases[index(pipe)].size()));
      if (entry.kind == Entry::Kind::Phase)
        schedule.phases[index(pipe)].push_back(entry.phase);
    }
    before.push_back(static_cast<std::uint32_t>(schedule.phases[index(pipe)].size()));
  }

  Clock inPhases(const Clock &entries) const {
    Clock phases;
    for (std::size_t p = 0; p < kPipeCount; ++p)
      phases[p] = phasesBefore[p][entries[p]];
    return phases;
  }

  static void merge(Clock &into, const Clock &from) {
    for (std::size_t p = 0; p < kPipeCount; ++p)
      into[p] = std::max(into[p], from[p]);
  }

  /// Takes the next entry off a queue; false if there is none or it has to wait.
  bool advance(Pipe pipe) {
    std::size_t q = index(pipe);
    const Queue &queue = dispatch.queues[q];
    if (next[q] == queue.size())
      return false;
    const Entry &entry = queue[next[q]];
    if (pipe == Pipe::S && rules.scalarInOrder)
      clocks[q][q] = next[q];
    bool knew = knows(clocks[q]);
    if (!perform(pipe, entry))
      return false;
    if (watched)
      trail(pipe, entry, knew);
    ++next[q];
    return true;
  }

  bool knows(const Clock &known) const { return watched && known[index(watched->pipe)] > watched->position; }

  /// Keeps the paths of a watched fact.
  void trail(Pipe pipe, const Entry &entry, bool knew) {
    Path &path = watched->paths[index(pipe)];
    const Statement *statement = trace.events[entry.event].statement;
    if (entry.kind == Entry::Kind::Phase) {
      if (entry.phase.instance == watched->later.instance && entry.phase.phase == watched->later.phase)
        watched->answer = path;
    } else if (entry.kind == Entry::Kind::Set) {
      Path row;
      if (knows(rows[entry.flag].back().known)) {
        row = path;
        row.insert(row.begin(), statement);
      }
      watched->rowPaths[entry.flag].push_back(std::move(row));
    } else if (entry.kind == Entry::Kind::Gate && pipe == Pipe::S) {
      watched->gatePaths[entry.flag] = path;
    } else if (entry.kind == Entry::Kind::Release && knows(released[entry.flag].known)) {
      watched->releasePaths[entry.flag] = path;
      watched->releasePaths[entry.flag].insert(watched->releasePaths[entry.flag].begin(), statement);
    }
    if (knew || !knows(clocks[index(pipe)]))
      return;
    if (entry.kind == Entry::Kind::Wait)
      path = watched->rowPaths[entry.flag][waitsDone[entry.flag] - 1];
    if (entry.kind == Entry::Kind::Gate)
      path = watched->gatePaths[entry.flag];
    if (entry.kind == Entry::Kind::Get)
      for (std::uint32_t release : dispatch.awaited[entry.flag])
        if (knows(released[release].known))
          path = watched->releasePaths[release];
    path.insert(path.begin(), statement);
  }

  bool perform(Pipe pipe, const Entry &entry) {
    std::size_t q = index(pipe);
    Clock &known = clocks[q];
    switch (entry.kind) {
    case Entry::Kind::Phase:
      schedule.starts[entry.phase.instance][entry.phase.phase] = inPhases(known);
      if (--unstarted[entry.phase.instance] == 0)
        schedule.started[entry.phase.instance] = true;
      return true;
    case Entry::Kind::Barrier: known[q] = next[q]; return true;
    case Entry::Kind::Meeting: return false; // meet() moves all queues on together
    case Entry::Kind::Set:
      rows[entry.flag].push_back({known});
      rows[entry.flag].back().known[q] = next[q] + 1;
      use(entry, histories[entry.flag].sets, false).knownOfOther = known[index(dispatch.flags[entry.flag].destination)];
      return true;
    case Entry::Kind::InsideSet:
      use(entry, histories[entry.flag].sets, true).knownOfOther = known[index(dispatch.flags[entry.flag].destination)];
      return true;
    case Entry::Kind::Wait:
      if (waitsDone[entry.flag] == rows[entry.flag].size())
        return false;
      merge(known, rows[entry.flag][waitsDone[entry.flag]++].known);
      use(entry, histories[entry.flag].waits, false);
      return true;
    case Entry::Kind::InsideWait: use(entry, histories[entry.flag].waits, true); return true;
    case Entry::Kind::Gate:
      if (pipe == Pipe::S)
        gates[entry.flag] = {true, known};
      else if (gates[entry.flag].open)
        merge(known, gates[entry.flag].known);
      return gates[entry.flag].open;
    case Entry::Kind::Release:
      released[entry.flag] = {true, known};
      released[entry.flag].known[q] = next[q] + 1;
      merge(released[entry.flag].known, dispatch.told[entry.flag]);
      return true;
    case Entry::Kind::Get:
      for (std::uint32_t release : dispatch.awaited[entry.flag])
        if (!released[release].open)
          return false;
      for (std::uint32_t release : dispatch.awaited[entry.flag])
        merge(known, released[release].known);
      return true;
    }
    return true;
  }

  FlagUse &use(const Entry &entry, std::vector<FlagUse> &uses, bool inside) {
    FlagUse made;
    made.statement = trace.events[entry.event].statement;
    made.event = entry.event;
    made.at = trace.events[entry.event].instance;
    made.inside = inside;
    made.done = true;
    const Flag &flag = dispatch.flags[entry.flag];
    bool set = entry.kind == Entry::Kind::Set || entry.kind == Entry::Kind::InsideSet;
    made.position = next[index(set ? flag.source : flag.destination)];
    uses.push_back(made);
    return uses.back();
  }

  /// PIPE_ALL: if all queues have come to the same one, everything before it is complete.
  bool meet() {
    Clock all;
    for (std::size_t q = 0; q < kPipeCount; ++q) {
      const Queue &queue = dispatch.queues[q];
      if (next[q] == queue.size() || queue[next[q]].kind != Entry::Kind::Meeting)
        return false;
      all[q] = next[q];
    }
    for (std::size_t q = 0; q < kPipeCount; ++q) {
      bool knew = knows(clocks[q]);
      clocks[q] = all;
      if (watched)
        trail(kPipes[q], dispatch.queues[q][next[q]], knew);
      ++next[q];
    }
    return true;
  }

  /// Notes what is stuck, what was never reached, and what is complete at the end.
  void finish() {
    Clock end{};
    for (std::size_t q = 0; q < kPipeCount; ++q) {
      for (std::size_t p = 0; p < kPipeCount; ++p)
        if (p != q) // a pipe's own barrier makes nobody wait for the end of its work
          end[p] = std::max(end[p], clocks[q][p]);
      const Queue &queue = dispatch.queues[q];
      if (next[q] < queue.size())
        schedule.stuck.push_back({kPipes[q], queue[next[q]].event});
      while (next[q] < queue.size()) {
        addUnreached(queue[next[q]]);
        ++next[q];
      }
    }
    schedule.atEnd = inPhases(end);
    for (std::size_t flag = 0; flag < dispatch.flags.size(); ++flag)
      schedule.flags.emplace(dispatch.flags[flag], std::move(histories[flag]));
  }

  void addUnreached(const Entry &entry) {
    FlagHistory *history = entry.kind == Entry::Kind::Phase || entry.kind == Entry::Kind::Barrier ||
                                   entry.kind == Entry::Kind::Meeting || entry.kind == Entry::Kind::Gate ||
                                   entry.kind == Entry::Kind::Get || entry.kind == Entry::Kind::Release
                               ? nullptr
                               : &histories[entry.flag];
    if (!history)
      return;
    bool inside = entry.kind == Entry::Kind::InsideSet || entry.kind == Entry::Kind::InsideWait;
    bool set = entry.kind == Entry::Kind::Set || entry.kind == Entry::Kind::InsideSet;
    use(entry, set ? history->sets : history->waits, inside).done = false;
  }

  const Trace &trace;
  const WorkTable &works;
  const OrderRules rules;
  Dispatch dispatch;
  std::vector<std::vector<Row>> rows; // by flag: what the n-th set passes on
  std::vector<FlagHistory> histories; // by flag
  std::vector<std::size_t> waitsDone; // by flag
  std::vector<OpenGate> gates, released;
  std::array<Clock, kPipeCount> clocks{}; // in queue entries
  std::array<std::uint32_t, kPipeCount> next{};
  std::array<std::vector<std::uint32_t>, kPipeCount> phasesBefore;
  std::vector<std::uint32_t> unstarted;
  std::optional<Watch> watched;
  Schedule schedule;
};

} // namespace

std::string flagName(const Flag &flag) {
  return "(" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) + ", " +
         std::to_string(flag.id) + ")";
}

Schedule makeSchedule(const Trace &trace, const WorkTable &works, const OrderRules &rules) {
  return Runner(trace, works, rules).run();
}

std::vector<const Statement *> orderedBy(const Trace &trace, const WorkTable &works, const OrderRules &rules,
                                         PhaseRef later, Pipe pipe, std::uint32_t ordinal) {
  return Runner(trace, works, rules).watch(later, pipe, ordinal);
}

} // namespace ptosync::replay
