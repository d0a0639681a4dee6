// Who has completed when whom starts: the pipes' queues of one trace, run with vector clocks.
//
//   Trace --dispatch--> one in-order queue per pipe --run--> for each phase, per pipe, how many of
//                                                            that pipe's phases are complete
//
// Issue order is not completion order: a phase starts after its predecessors on the pipe have
// started, and completes at any time later. A set fires when everything earlier on its pipe is
// complete; the n-th wait on a flag lets go when the n-th set has fired; PIPE_ALL is a meeting of all
// queues. Since every ordering fact covers all that is earlier on a pipe, one number per pair of
// pipes says it all. Queues are unbounded here: a wait that is issued before its set is recorded
// (it holds only while the queues are deep enough), and a run that gets stuck is a deadlock.
// Tested by tests/replay/judge/schedule_test.cpp.
#pragma once

#include "replay/run/interpreter.h"

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace ptosync::replay {

/// By pipe: how many of the pipe's phases (or queue entries) are known to be complete.
using Clock = std::array<std::uint32_t, kPipeCount>;

struct Flag {
  Pipe source = Pipe::S, destination = Pipe::S;
  std::int64_t id = 0;
  auto operator<=>(const Flag &) const = default;
};

/// "(PIPE_V, PIPE_MTE3, 0)".
std::string flagName(const Flag &flag);

/// One phase of one instance, in issue order of its pipe.
struct PhaseRef {
  std::uint32_t instance = kNone;
  std::uint32_t phase = 0; // in its Work
};

/// One set of a flag, or one wait; a call that sets and waits for a flag itself counts as both.
struct FlagUse {
  const Statement *statement = nullptr;
  std::uint32_t event = 0;        // index into Trace::events
  std::uint32_t at = 0;           // instructions issued before it
  bool inside = false;            // within a library call
  std::uint32_t position = 0;     // in its pipe's queue, from 0
  bool done = false;              // it was reached: the set fired, the wait let go
  std::uint32_t knownOfOther = 0; // sets: entries of the destination's queue known to be complete by then
};

struct FlagHistory {
  std::vector<FlagUse> sets, waits; // in the order of their pipes' queues
};

/// A pipe that never gets further.
struct Stuck {
  Pipe pipe = Pipe::S;
  std::uint32_t event = 0; // the wait, or the PIPE_ALL that others do not reach
};

struct Schedule {
  std::array<std::vector<PhaseRef>, kPipeCount> phases; // by pipe, in order
  std::vector<std::vector<Clock>> starts;               // by instance and phase
  std::vector<bool> started;                            // by instance: all its phases started
  Clock atEnd{};                                        // complete for another pipe when the kernel ends
  std::map<Flag, FlagHistory> flags;
  std::vector<Stuck> stuck; // empty: the run ended
};

enum class ScalarWaits : std::uint8_t {
  HoldScalarPipe, // like any other wait
  HoldDispatch,   // the scalar pipe hands out all work: nothing behind a wait for it, or behind other work of
                  // its own, starts on any pipe before that is done (contested)
};

/// The rules of the machine that add order by themselves.
struct OrderRules {
  ScalarWaits scalarWaits = ScalarWaits::HoldScalarPipe;
  bool scalarInOrder = true; // the scalar pipe completes one instruction before it starts the next
};

Schedule makeSchedule(const Trace &trace, const WorkTable &works, const OrderRules &rules);

/// The syncs through which `later` comes to know that the `ordinal`-th phase of `pipe` is complete,
/// the last one first; empty if it does not.
std::vector<const Statement *> orderedBy(const Trace &trace, const WorkTable &works, const OrderRules &rules,
                                         PhaseRef later, Pipe pipe, std::uint32_t ordinal);

} // namespace ptosync::replay
