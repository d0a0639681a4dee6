// What is complete when each instruction starts: happens-before of one run, by vector clocks.
//
//   corpus/loop_carried with one iteration       its pipe's queue, and what that pipe knows to be complete then
//   TLOAD(v15, v21)                              MTE2 #1    nothing
//   TLOAD(v17, v21)                              MTE2 #2    nothing: queued behind #1, which need not be complete
//   set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)       fires when MTE2 #1 and #2 are complete; its token carries "MTE2 2"
//   wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)      V takes the token and knows MTE2 2
//   TADD(v17, v17, v15)                          V #1       MTE2 2: it may read what both loaded
//   pipe_barrier(PIPE_V)                         V knows V 1
//   set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)       its token carries "V 1, MTE2 2"
//   wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)      MTE3 knows V 1, MTE2 2
//   TSTORE(v24, v17)                             MTE3 #1    V 1, MTE2 2
//
//   Without the first wait the TADD starts at MTE2 0. Two orders are lost, TLOAD -> TADD twice, and compare.h reports
//   those of them that conflict.
//
// Issue order is not completion order: a phase starts after its predecessors on the pipe have started, and completes at
// any time later. A set fires when everything earlier on its pipe is complete; the n-th wait on a flag lets go when the
// n-th set has fired; PIPE_ALL is a meeting of all queues; a get of a buffer id lets go when each
// release of the id that was issued before it, on another pipe, has been reached. Why one number per pair of pipes says
// it all: every ordering fact covers all that is earlier on a pipe. Queues are unbounded here: a wait that is issued
// before its set is recorded (tokens.h), and a run in which some queue never gets to its end is a deadlock. It knows no
// addresses, and does not ask whether an order is needed. Tested by tests/replay/judge/schedule_test.cpp.
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

/// Brackets of buffer ids of which it is open what they do: that do not block, or of an id with faults (brackets.h).
enum class OpenBrackets : std::uint8_t {
  OrderNothing,
  Order, // as much as any reading of them says
};

/// The rules of the machine that add order by themselves.
struct OrderRules {
  ScalarWaits scalarWaits = ScalarWaits::HoldScalarPipe;
  bool scalarInOrder = true; // the scalar pipe completes one instruction before it starts the next
  OpenBrackets openBrackets = OpenBrackets::OrderNothing;
  std::int64_t bufferIds = 32; // that the machine has, from 0 on: what a bracket of another one orders is open
};

Schedule makeSchedule(const Trace &trace, const WorkTable &works, const OrderRules &rules);

/// Returns the syncs through which `later` comes to know that the `ordinal`-th phase of `pipe` is complete, the last
/// one first; empty if it does not.
std::vector<const Statement *> orderedBy(const Trace &trace, const WorkTable &works, const OrderRules &rules,
                                         PhaseRef later, Pipe pipe, std::uint32_t ordinal);

} // namespace ptosync::replay
