#include "timing/engine.h"

#include "replay/judge/conflict.h"
#include "replay/run/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ptosync::timing {

// Finds the operations whose data an operation has to wait for: the latest earlier one of each kind that it conflicts
// with.
//
// Executions that do the same to the same on-chip bytes are of one kind, so conflicts are asked once for each pair of
// kinds. Global memory is compared by place, one access after the other.
// Tested by tests/timing/engine_test.cpp.

class Dependences {
public:
  Dependences(const replay::Subject &subject, const replay::Trace &trace, const replay::ConflictRules &rules)
      : subject(subject), trace(trace), rules(rules) {}

  /// Appends the operations for which `operation`, an execution of `work` on `pipe`, waits.
  void add(std::uint32_t operation, std::uint32_t work, Pipe pipe, std::uint32_t iteration,
           std::vector<std::uint32_t> &found);

private:
  /// A kind of executions: those that touch the same bytes on the chip in the same way.
  struct Kind {
    replay::Work work; // with one phase, global memory left out
    std::vector<std::pair<std::uint32_t, std::uint8_t>>
        conflicts;                                     // with kinds; bit 0: within an iteration, bit 1: carried
    std::uint32_t last = kNone, lastIteration = kNone; // its latest operation
  };
  struct GlobalAccess {
    std::uint32_t operation = 0;
    replay::Extents bytes;
    bool writes = false;
  };

  std::uint32_t kindOf(std::uint32_t work, Pipe pipe);
  void connect(std::uint32_t kind);
  void addGlobal(std::uint32_t operation, const replay::Work &work, std::vector<std::uint32_t> &found);

  const replay::Subject &subject;
  const replay::Trace &trace;
  const replay::ConflictRules &rules;
  const replay::Decided asRun = {{}, /*everything=*/true}; // times are those of the run
  std::deque<Kind> kinds;
  std::vector<std::uint32_t> kindByWork;
  std::multimap<std::uint64_t, std::uint32_t> bySignature;
  std::map<std::uint32_t, std::vector<GlobalAccess>> global; // by argument
};

namespace {

using replay::Access;
using replay::Phase;
using replay::Work;

constexpr std::size_t kGlobalWindow = 128; // earlier accesses to an argument's memory that are compared

/// The work as one phase on its main pipe, on-chip accesses alone.
Work onChip(const Work &work, Pipe pipe, const replay::ConflictRules &rules) {
  Work stripped;
  stripped.instruction = work.instruction;
  stripped.known = work.known;
  stripped.product = work.product;
  Phase phase;
  phase.pipe = pipe;
  const Phase *full = nullptr;
  for (const Phase &candidate : work.phases)
    if (!candidate.barrier && (!full || candidate.accesses.size() > full->accesses.size()))
      full = &candidate;
  if (full)
    for (const Access &access : full->accesses)
      if (!rules.global(access.bytes))
        phase.accesses.push_back(access);
  stripped.phases.push_back(std::move(phase));
  return stripped;
}

std::uint64_t signatureOf(const Work &work) {
  std::uint64_t hash = index(work.phases[0].pipe);
  for (const Access &access : work.phases[0].accesses) {
    hash = replay::mix(hash, access.bytes.space.value_or(99));
    hash = replay::mix(hash, static_cast<std::uint64_t>(access.bytes.address));
    hash = replay::mix(hash, static_cast<std::uint64_t>(access.bytes.footprint.extent()));
    hash = replay::mix(hash, access.reads * 2u + access.writes);
  }
  return hash;
}

} // namespace

std::uint32_t Dependences::kindOf(std::uint32_t number, Pipe pipe) {
  if (number >= kindByWork.size())
    kindByWork.resize(number + 1, kNone);
  if (kindByWork[number] != kNone)
    return kindByWork[number];
  Work work = onChip(subject.works[number], pipe, rules);
  std::uint64_t signature = signatureOf(work);
  auto [first, last] = bySignature.equal_range(signature);
  for (auto candidate = first; candidate != last; ++candidate)
    if (const Work &known = kinds[candidate->second].work;
        known.phases == work.phases && known.known == work.known && known.product == work.product)
      return kindByWork[number] = candidate->second;
  auto kind = static_cast<std::uint32_t>(kinds.size());
  kinds.push_back({std::move(work), {}, kNone, kNone});
  bySignature.emplace(signature, kind);
  connect(kind);
  return kindByWork[number] = kind;
}

/// Finds the kinds that conflict with a new one, in both directions.
void Dependences::connect(std::uint32_t number) {
  auto both = [&](const Kind &earlier, const Kind &later) -> std::uint8_t {
    replay::PhaseView a{earlier.work, earlier.work.phases[0]}, b{later.work, later.work.phases[0]};
    bool near = rules.between(a, b, false, &asRun).has_value();
    // A loop in between only takes excuses away.
    bool carried = near || (a.phase.pipe == b.phase.pipe && rules.between(a, b, true, &asRun).has_value());
    return static_cast<std::uint8_t>(near + 2 * carried);
  };
  for (std::uint32_t other = 0; other <= number; ++other) {
    if (std::uint8_t found = both(kinds[other], kinds[number]))
      kinds[number].conflicts.emplace_back(other, found);
    if (other == number)
      continue;
    if (std::uint8_t found = both(kinds[number], kinds[other]))
      kinds[other].conflicts.emplace_back(number, found);
  }
}

void Dependences::add(std::uint32_t operation, std::uint32_t work, Pipe pipe, std::uint32_t iteration,
                      std::vector<std::uint32_t> &found) {
  std::uint32_t number = kindOf(work, pipe);
  Kind &kind = kinds[number];
  for (auto [other, when] : kind.conflicts) {
    const Kind &earlier = kinds[other];
    if (earlier.last == kNone)
      continue;
    bool near = when & 1;
    if (near || replay::loopCarried(trace, earlier.lastIteration, iteration))
      found.push_back(earlier.last);
  }
  addGlobal(operation, subject.works[work], found);
  kind.last = operation;
  kind.lastIteration = iteration;
}

void Dependences::addGlobal(std::uint32_t operation, const Work &work, std::vector<std::uint32_t> &found) {
  if (!work.known)
    return;
  for (const Phase &phase : work.phases) {
    for (const Access &access : phase.accesses) {
      if (!rules.global(access.bytes) || access.bytes.whole || !access.bytes.argument)
        continue;
      std::vector<GlobalAccess> &known = global[*access.bytes.argument];
      std::size_t first = known.size() > kGlobalWindow ? known.size() - kGlobalWindow : 0;
      for (std::size_t i = first; i < known.size(); ++i)
        if ((known[i].writes || access.writes) && known[i].operation != operation &&
            rules.overlap(known[i].bytes, access.bytes, &asRun))
          found.push_back(known[i].operation);
      known.push_back({operation, access.bytes, access.writes});
    }
    if (!phase.accesses.empty())
      break; // the other pipes of the call touch the same
  }
}

namespace {

using replay::Event;
using replay::Trace;

/// How many executions each event stands for.
std::vector<double> weightsOf(const Trace &trace) {
  std::vector<double> weights(trace.events.size(), 1);
  for (const replay::Skip &skip : trace.skips) {
    // Back to the header visit with which the last period began.
    std::uint64_t visits = 0;
    std::uint32_t first = skip.iterations, parent = kNone;
    while (first > 0 && visits < skip.period) {
      const replay::Iteration &visit = trace.iterations[--first];
      if (visit.loop != skip.loop || (visits && visit.parent != parent))
        continue;
      parent = visit.parent;
      ++visits;
    }
    for (std::uint32_t event = skip.events; event-- > 0;) {
      std::uint32_t iteration = trace.events[event].iteration;
      if (iteration == kNone || iteration < first)
        break;
      weights[event] *= 1 + static_cast<double>(skip.periods);
    }
  }
  return weights;
}

class Maker {
public:
  Maker(const replay::Subject &subject, const Trace &trace, const Machine &machine, const replay::ConflictRules &rules,
        const CostTable &costs)
      : subject(subject), trace(trace), machine(machine), costs(costs), dependences(subject, trace, rules) {
    plan.issue = costs.issue();
    costByWork.resize(subject.works.size());
    known.resize(subject.works.size(), false);
  }

  Plan make() {
    std::vector<double> weights = weightsOf(trace);
    for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
      add(event);
      plan.operations.back().weight = weights[event];
      plan.extrapolated |= weights[event] != 1;
    }
    plan.flags = static_cast<std::uint32_t>(flags.size());
    return std::move(plan);
  }

private:
  void add(std::uint32_t number) {
    const Event &event = trace.events[number];
    Operation operation;
    operation.event = number;
    if (event.iteration != kNone)
      operation.loop = trace.iterations[event.iteration].loop;
    operation.dependences = operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
    if (event.kind == Event::Kind::Instruction)
      fillWork(operation, event);
    else
      fillSync(operation, event);
    plan.operations.push_back(operation);
  }

  void fillSync(Operation &operation, const Event &event) {
    operation.site = std::get<Sync>(event.statement->action).site;
    if (event.isBuffer())
      return fillBuffer(operation, event);
    operation.kind = event.kind == Event::Kind::Barrier   ? Operation::Kind::Barrier
                     : event.kind == Event::Kind::SetFlag ? Operation::Kind::Set
                                                          : Operation::Kind::Wait;
    bool wait = event.kind == Event::Kind::WaitFlag;
    operation.pipe = wait ? event.destination : event.source;
    operation.other = wait ? event.source : event.destination;
    if (event.kind != Event::Kind::Barrier)
      operation.flag = flags
                           .try_emplace(std::make_tuple(event.source, event.destination, event.id),
                                        static_cast<std::uint32_t>(flags.size()))
                           .first->second;
  }

  /// Where it is open what a bracket does (its mode), it is taken as blocking: the estimate is no proof.
  void fillBuffer(Operation &operation, const Event &event) {
    const bool gets = event.kind == Event::Kind::GetBuffer;
    operation.kind = gets ? Operation::Kind::Get : Operation::Kind::Release;
    operation.pipe = operation.other = event.source;
    std::map<Pipe, std::uint32_t> &last = lastReleases[event.id];
    if (!gets) {
      last[event.source] = static_cast<std::uint32_t>(plan.operations.size());
      return;
    }
    for (const auto &[pipe, release] : last)
      if (pipe != event.source)
        plan.dependences.push_back(release);
    operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
  }

  void fillWork(Operation &operation, const Event &event) {
    std::uint32_t work = trace.instances[event.instance].work;
    const Cost &cost = costOf(work);
    operation.pipe = operation.other = cost.pipe;
    operation.throughput = cost.throughput;
    operation.latency = cost.latency;
    if (subject.works[work].fence == FenceKind::All) {
      operation.kind = Operation::Kind::Fence;
      return;
    }
    std::vector<std::uint32_t> found;
    dependences.add(static_cast<std::uint32_t>(plan.operations.size()), work, cost.pipe, event.iteration, found);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    plan.dependences.insert(plan.dependences.end(), found.begin(), found.end());
    operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
  }

  const Cost &costOf(std::uint32_t work) {
    if (!known[work]) {
      costByWork[work] = costs.costOf(subject.works[work], subject.kernel, machine);
      known[work] = true;
    }
    return costByWork[work];
  }

  const replay::Subject &subject;
  const Trace &trace;
  const Machine &machine;
  const CostTable &costs;
  Dependences dependences;
  Plan plan;
  std::map<std::tuple<Pipe, Pipe, std::int64_t>, std::uint32_t> flags;
  std::map<std::int64_t, std::map<Pipe, std::uint32_t>> lastReleases; // operations, by buffer id
  std::vector<Cost> costByWork;
  std::vector<bool> known;
};

} // namespace

Plan makePlan(const replay::Subject &subject, const Trace &trace, const Machine &machine,
              const replay::ConflictRules &rules, const CostTable &costs) {
  return Maker(subject, trace, machine, rules, costs).make();
}

Engine::Engine(const Plan &plan, const EngineOptions &options)
    : plan(plan), options(options), issue(options.issue.value_or(plan.issue)), finish(plan.operations.size(), 0),
      fired(plan.flags), taken(plan.flags, 0) {
  timing.added.resize(plan.operations.size());
  if (options.record)
    timing.slices.resize(plan.operations.size());
}

void Engine::step() {
  const Operation &operation = plan.operations[now];
  perform(operation);
  double reached = std::max(front, finish[now]);
  timing.added[now] = (reached - front) * operation.weight;
  timing.cycles += timing.added[now];
  front = reached;
  ++now;
}

bool Engine::leftOut(const Operation &operation) const {
  return options.dataFlow || (operation.site < options.ignored.size() && options.ignored[operation.site]);
}

/// A gate that an instruction has moved is one that the other core opens.
Held Engine::heldBy(std::uint32_t operation) const {
  return operation != kNone && plan.operations[operation].kind == Operation::Kind::Work ? Held::Core : Held::Sync;
}

double Engine::hold(Pipe pipe, double time) {
  const Unit &own = unit(pipe);
  double could = pipe == Pipe::S ? issued : std::max({own.free, own.gate, issued});
  if (time > could)
    open(pipe, time);
  return could;
}

double Engine::idle() const {
  double all = issued;
  for (const Unit &each : units)
    all = std::max(all, each.latest);
  return all;
}

double Engine::settled(Pipe pipe) const {
  const Unit &own = units[index(pipe)];
  return std::max({own.latest, own.gate, issued});
}

void Engine::perform(const Operation &operation) {
  switch (operation.kind) {
  case Operation::Kind::Work: return work(operation);
  case Operation::Kind::Fence: return fence(operation);
  case Operation::Kind::Barrier: return leftOut(operation) ? void() : barrier(operation);
  case Operation::Kind::Set: return set(operation, leftOut(operation));
  case Operation::Kind::Wait: return wait(operation, leftOut(operation));
  case Operation::Kind::Release: return leftOut(operation) ? void() : release(operation);
  case Operation::Kind::Get: return leftOut(operation) ? void() : get(operation);
  }
}

void Engine::work(const Operation &operation) {
  issued += issue.instruction;
  Unit &own = unit(operation.pipe);
  double ready = operation.pipe == Pipe::S ? issued : own.free;
  double start = ready;
  Held held = Held::Nothing;
  std::uint32_t by = kNone;
  auto after = [&](double time, Held why, std::uint32_t what) {
    if (time <= start)
      return;
    start = time;
    held = why;
    by = what;
  };
  after(own.gate, heldBy(own.gatedBy), own.gatedBy);
  for (std::uint32_t d = operation.dependences; d < operation.dependencesEnd; ++d)
    after(finish[plan.dependences[d]], Held::Data, plan.dependences[d]);
  if (stopped.time > ready)
    after(issued, heldBy(stopped.set), stopped.set); // the scalar unit stood still there, and hands out since
  after(issued, Held::Issue, kNone);
  own.free = start + operation.throughput;
  if (operation.pipe == Pipe::S)
    issued = own.free + operation.latency; // the scalar unit needs the value
  finish[now] = own.free + operation.latency;
  own.latest = std::max(own.latest, finish[now]);
  timing.busy[index(operation.pipe)] += operation.throughput * operation.weight;
  if (options.record)
    timing.slices[now] = {ready, start, own.free, finish[now], held, by};
}

/// Everything has finished, and everything behind starts from there.
double Engine::meet() {
  double all = idle();
  for (Unit &each : units) {
    each.gate = all;
    each.gatedBy = now;
  }
  if (all > issued)
    stopped = {all, now};
  issued = all;
  return all;
}

void Engine::fence(const Operation &operation) {
  issued += issue.instruction;
  double start = meet();
  issued += operation.throughput + operation.latency;
  finish[now] = meet();
  if (options.record)
    timing.slices[now] = {start, start, finish[now], finish[now], Held::Nothing, kNone};
}

void Engine::note(double reached, double opens) {
  finish[now] = reached;
  if (options.record)
    timing.slices[now] = {issued - issue.sync, issued - issue.sync, issued, opens, Held::Nothing, kNone};
}

void Engine::open(Pipe pipe, double time) {
  Unit &own = unit(pipe);
  if (pipe == Pipe::S && time > issued) {
    issued = time;
    stopped = {time, now};
  }
  if (time <= own.gate)
    return;
  own.gate = time;
  own.gatedBy = now;
}

void Engine::barrier(const Operation &operation) {
  issued += issue.sync;
  double opens = operation.pipe == Pipe::All ? meet() : unit(operation.pipe).latest;
  if (operation.pipe != Pipe::All)
    open(operation.pipe, opens);
  note(std::max(issued, opens), opens);
}

void Engine::set(const Operation &operation, bool ignored) {
  if (ignored) {
    fired[operation.flag].push_back({0, now});
    return;
  }
  issued += issue.sync;
  const Unit &own = unit(operation.pipe);
  double time = std::max({own.latest, own.gate, issued});
  fired[operation.flag].push_back({time, now});
  note(time, time);
  if (options.record)
    timing.slices[now].by = own.gatedBy;
}

void Engine::wait(const Operation &operation, bool ignored) {
  const std::vector<Firing> &sets = fired[operation.flag];
  Firing taking;
  if (taken[operation.flag] < sets.size())
    taking = sets[taken[operation.flag]++];
  if (ignored)
    return;
  issued += issue.sync;
  double opens = std::max(taking.time, issued);
  open(operation.pipe, opens);
  note(operation.pipe == Pipe::S ? issued : 0, opens);
  if (options.record)
    timing.slices[now].by = taking.set;
}

void Engine::release(const Operation &operation) {
  issued += issue.sync;
  const Unit &own = unit(operation.pipe);
  const double time = std::max({own.latest, own.gate, issued});
  note(time, time);
  if (options.record)
    timing.slices[now].by = own.gatedBy;
}

/// A release that was left out is one that has finished at once.
void Engine::get(const Operation &operation) {
  issued += issue.sync;
  double opens = issued;
  std::uint32_t by = kNone;
  for (std::uint32_t d = operation.dependences; d < operation.dependencesEnd; ++d)
    if (const std::uint32_t release = plan.dependences[d]; finish[release] > opens) {
      opens = finish[release];
      by = release;
    }
  open(operation.pipe, opens);
  note(operation.pipe == Pipe::S ? issued : 0, opens);
  if (options.record)
    timing.slices[now].by = by;
}

Timing runEngine(const Plan &plan, const EngineOptions &options) {
  Engine engine(plan, options);
  while (!engine.over())
    engine.step();
  return engine.take();
}

} // namespace ptosync::timing
