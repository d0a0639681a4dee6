// Estimates how long one run of a kernel takes: in-order pipes, handed work by one scalar unit.
//
// The sections are whose data an operation waits for, the run as a plan of operations, and the engine that plays it.
#pragma once

#include "replay/judge/conflict.h"
#include "replay/run/interpreter.h"
#include "timing/cost_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ptosync::timing {

// Writes one run of a kernel as a list of operations, each with its duration and the operations whose data it waits
// for.
//
//   Trace --makePlan--> Plan --runEngine--> how long it takes, with all syncs, without some, with data alone
//
// An operation is the main part of an instruction, or a sync. Its dependences are the operations whose bytes it
// conflicts with (RAW, WAR, WAW, less what the machine orders by itself), the latest of each kind. Iterations that
// the trace leaves out are counted by weights: each operation of the last period stands for those of the periods
// left out behind it. Places in global memory that are not known are taken to be apart: what the plan is for is a
// bound from below and a comparison, never the decision about a sync.
// Tested by tests/timing/engine_test.cpp.

struct Operation {
  enum class Kind : std::uint8_t {
    Work,
    Barrier, // of `pipe`, or of all
    Set,     // from `pipe` to `other`
    Wait,    // of `pipe` for `other`
    Release, // of a buffer id, on `pipe`
    Get,     // of a buffer id, on `pipe`: it waits for its dependences, the last release of the id by each other pipe
    Fence,   // an opaque call: what precedes is finished before, what follows starts behind
  };
  Kind kind = Kind::Work;
  Pipe pipe = Pipe::S, other = Pipe::S;
  double throughput = 0, latency = 0;                // cycles
  std::uint32_t dependences = 0, dependencesEnd = 0; // into Plan::dependences
  std::uint32_t flag = 0;                            // Set, Wait: number below Plan::flags
  SiteId site = kNone;                               // syncs: in Module::sites
  std::uint32_t event = 0;                           // index into Trace::events
  replay::LoopId loop = kNone;                       // innermost
  double weight = 1;                                 // how many executions it stands for
};

struct Plan {
  std::vector<Operation> operations;      // in the order in which the scalar unit meets them
  std::vector<std::uint32_t> dependences; // indices into `operations`
  std::uint32_t flags = 0;
  IssueCost issue;
  bool extrapolated = false; // some operation stands for more than itself
};

/// Makes the plan of `trace`, which must be a run of `subject` in full detail.
Plan makePlan(const replay::Subject &subject, const replay::Trace &trace, const Machine &machine,
              const replay::ConflictRules &rules, const CostTable &costs);

// Computes how long a plan takes, on in-order pipes to which one scalar unit hands out the work.
//
// Throughput and latency in cycles: TLOAD 100 and 50, TADDS 40 and 10; each statement costs the scalar unit 1 cycle.
//
//   statement                  handed out  starts  pipe free  finished
//   TLOAD(a, g)       MTE2          1         1       101        151
//   set_flag(MTE2, V, 0)            2     it fires at 151, the latest finish on MTE2
//   wait_flag(MTE2, V, 0)           3     V's gate moves to 151
//   TADDS(b, a, 1.0f) V             4       151       191        201
//   TLOAD(c, h)       MTE2          5       101       201        251     the kernel's time: 251
//
// An operation holds its pipe for its throughput and is finished its latency later. It starts when its pipe is free,
// its pipe's gate is open, the scalar unit has handed it out, and the data on which it depends is there.
// pipe_barrier(P) moves P's gate to the latest finish on P, and PIPE_ALL moves every gate and the scalar unit. A set
// fires at the latest finish on its pipe, behind that pipe's gate, and its wait moves the gate of the other pipe there.
// A release of a buffer id fires like a set, and a get moves its pipe's gate to the latest release that it waits for.
// The scalar unit stands still, and hands out nothing, until its own work is finished and while it waits for a flag. An
// opaque call starts when everything has finished, and everything behind it starts when it has finished.
//
// Data is always respected. So a sync that is left out gains only what the data does not need; with all syncs left out
// the time is the data-flow limit, below which no placement of syncs can bring this order of instructions at these
// addresses. A set that is left out fires at once, so that the other sets keep their waits.
// What the engine does not know: queues are without end, and a wait that stands in front of its set waits for nothing.
// The time of a run is the sum of what each operation adds to the latest finish so far, times its weight.
// Tested by tests/timing/engine_test.cpp.

struct EngineOptions {
  bool dataFlow = false;               // leave out every sync
  std::vector<bool> ignored;           // by site: leave this sync out too; may be shorter than the sites are
  bool record = false;                 // fill Timing::slices
  std::optional<IssueCost> issue = {}; // in place of the plan's
};

/// The thing for which an operation waited longest.
enum class Held : std::uint8_t {
  Nothing, // it started when its pipe was free
  Sync,    // by the sync of operation `by`
  Data,    // by the result of operation `by`
  Issue,   // the scalar unit had not handed it out
  Core,    // by the other core, at operation `by` of this one, which may be itself
};

/// The time in which one operation ran, in cycles from the start of the run. Iterations that were left out take no
/// time.
struct Slice {
  double ready = 0;          // its pipe was free
  double start = 0, end = 0; // it held its pipe; a sync: when it was handed out
  double finish = 0;         // its result was there; a set: it fired; a wait or barrier: what follows may start
  Held held = Held::Nothing;
  std::uint32_t by = kNone; // an operation
};

struct Timing {
  double cycles = 0;
  std::vector<double> added;             // by operation: cycles it added to the whole, its weight counted
  std::array<double, kPipeCount> busy{}; // cycles each pipe was held, weights counted
  std::vector<Slice> slices;             // by operation, if recorded
};

Timing runEngine(const Plan &plan, const EngineOptions &options);

/// Runs the same engine one operation at a time, for a core that waits for another one (cores.h).
class Engine {
public:
  /// Plan and options must outlive the engine.
  Engine(const Plan &plan, const EngineOptions &options);

  bool over() const { return now == plan.operations.size(); }
  /// Returns the operation that the next `step` performs.
  std::uint32_t next() const { return now; }
  /// Lets nothing that comes next on `pipe` start before `time`; for Pipe::S, lets nothing be handed out before it.
  /// Returns the time at which the pipe could have gone on otherwise.
  double hold(Pipe pipe, double time);
  void step();
  /// Returns the time at which everything that was handed out so far is finished, on every pipe.
  double idle() const;
  /// Returns the time at which everything that `pipe` was given is finished and a signal behind it goes out.
  double settled(Pipe pipe) const;
  /// Returns the result. It may be called once, at the end.
  Timing take() { return std::move(timing); }

private:
  struct Unit {
    double free = 0, gate = 0, latest = 0;
    std::uint32_t gatedBy = kNone; // the sync, or the call that waits for the other core, that moved the gate last
  };
  struct Firing {
    double time = 0;
    std::uint32_t set = kNone;
  };

  Unit &unit(Pipe pipe) { return units[index(pipe)]; }
  bool leftOut(const Operation &operation) const;
  Held heldBy(std::uint32_t operation) const;
  void perform(const Operation &operation);
  void work(const Operation &operation);
  double meet();
  void fence(const Operation &operation);
  void note(double reached, double opens);
  void open(Pipe pipe, double time);
  void barrier(const Operation &operation);
  void set(const Operation &operation, bool ignored);
  void wait(const Operation &operation, bool ignored);
  void release(const Operation &operation);
  void get(const Operation &operation);

  const Plan &plan;
  const EngineOptions &options;
  const IssueCost issue;
  Timing timing;
  std::array<Unit, kPipeCount> units{};
  std::vector<double> finish;             // by operation
  std::vector<std::vector<Firing>> fired; // by flag, in order
  std::vector<std::size_t> taken;         // by flag
  Firing stopped;                         // where the scalar unit last stood still, and until when
  double issued = 0, front = 0;
  std::uint32_t now = 0; // the operation at hand
};

} // namespace ptosync::timing
