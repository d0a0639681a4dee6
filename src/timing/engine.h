// How long a plan takes: in-order pipes, handed work by one scalar unit.
//
// An operation holds its pipe for its throughput and is finished its latency later. It starts when its pipe is free,
// its pipe's gate is open, the scalar unit has handed it out, and the data it depends on is there. pipe_barrier(P)
// moves P's gate to the latest finish on P, PIPE_ALL every gate and the scalar unit; a set fires at the latest finish
// on its pipe, behind that pipe's gate, and its wait moves the gate of the other pipe there. Queues are without end,
// a wait in front of its set waits for nothing. Data is always respected, so that a sync that is left out gains what
// the data does not need, and no more: with all syncs left out that is the data-flow limit, below which no placement
// of syncs can bring this order of instructions at these addresses.
// Time is what each operation adds to the latest finish so far, times its weight.
// Tested by tests/timing/engine_test.cpp.
#pragma once

#include "timing/plan.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptosync::timing {

struct EngineOptions {
  bool dataFlow = false;               // leave out every sync
  std::vector<bool> ignored;           // by site: leave this sync out too; may be shorter than the sites are
  bool record = false;                 // fill Timing::slices
  std::optional<IssueCost> issue = {}; // in place of the plan's
};

/// What an operation waited for longest.
enum class Held : std::uint8_t {
  Nothing, // it started when its pipe was free
  Sync,    // by the sync of operation `by`
  Data,    // by the result of operation `by`
  Issue,   // the scalar unit had not handed it out
};

/// When one operation ran, in cycles, iterations that were left out not counted.
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

} // namespace ptosync::timing
