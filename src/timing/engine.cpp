#include "timing/engine.h"

#include <algorithm>

namespace ptosync::timing {

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

Timing runEngine(const Plan &plan, const EngineOptions &options) {
  Engine engine(plan, options);
  while (!engine.over())
    engine.step();
  return engine.take();
}

} // namespace ptosync::timing
