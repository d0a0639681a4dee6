// Flags as binary tokens, and runs that hang: what goes wrong with the flags of one run.
//
//   corpus/unbalanced_flags, one iteration of a loop whose flag V -> MTE2 nobody has set before
//
//   line 46  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0)    MTE2 stands here: use 0 of the flag has a wait and, so far, no
//   set line 47  TLOAD(v13, v19)                            queued on MTE2 behind the wait line 48  set_flag(PIPE_MTE2,
//   PIPE_V, EVENT_ID0)     queued behind that line 49  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)    V stands here: the
//   set of line 48 has not been reached line 50  TADDS(v15, v13, v9)                        queued on V behind the wait
//   line 51  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0)     queued behind that: it is the set that line 46 waits for
//
//   Schedule::stuck: V at line 49, MTE2 at line 46. Explained from pipe to pipe until the circle closes:
//   "PIPE_V waits at line 49 for flag (PIPE_MTE2, PIPE_V, 0), set at line 48 on PIPE_MTE2; PIPE_MTE2 waits at line 46
//   for flag (PIPE_V, PIPE_MTE2, 0), set at line 51 on PIPE_V, which waits for PIPE_V again" TokenFault: early-wait at
//   line 46, issued before its set at line 51.
//
// The n-th set of a flag is taken by its n-th wait. A set that may fire before the previous one was taken is lost on a
// binary flag; a flag that is still set at the end leaks into the next kernel; a wait that is issued before its set
// works only while the queues are deep enough. Emitted kernels have some of these, so only what a second kernel adds is
// held against it. Tested by tests/replay/judge/tokens_test.cpp.
#pragma once

#include "replay/judge/schedule.h"

#include <string>
#include <vector>

namespace ptosync::replay {

enum class TokenFaultKind : std::uint8_t {
  SetTwice,   // no wait at all between two sets
  SetTooSoon, // the wait between two sets need not have let go when the second one fires
  Unfed,      // a wait without a set
  LeftSet,    // a set without a wait
  EarlyWait,  // a wait issued before its set
  Collision,  // a library call uses the flag while the kernel does
};

/// "set-twice", "set-too-soon", ...
const char *tokenFaultName(TokenFaultKind kind);

struct TokenFault {
  TokenFaultKind kind = TokenFaultKind::Unfed;
  Flag flag;
  std::size_t generation = 0;                  // of the set or wait, from 0
  std::uint32_t setAt = kNone, waitAt = kNone; // instructions issued before
  const Statement *first = nullptr;            // the earlier of the two statements, where there are two
  const Statement *second = nullptr;
};

/// Returns all faults of a run. `whole`: the run came to its end, so that what is missing is missing.
std::vector<TokenFault> tokenFaults(const Schedule &schedule, bool whole);

/// Returns the faults of `after` that `before` has not. The uses of a flag in the two runs are matched by where they
/// stand among the instructions, in order; uses may have been taken out or moved. A set that may come too soon is new
/// only if the first run kept it behind that wait.
std::vector<TokenFault> newTokenFaults(const Schedule &beforeSchedule, const std::vector<TokenFault> &before,
                                       const Schedule &afterSchedule, const std::vector<TokenFault> &after);

/// Returns one sentence with lines.
std::string describe(const TokenFault &fault);

struct Deadlock {
  std::string text;       // one sentence
  std::set<SiteId> syncs; // that it names
};

/// Follows the blocked pipes from one to the next until the circle closes or a wait turns out to have no set. Empty if
/// nothing is stuck.
Deadlock explainDeadlock(const Trace &trace, const Schedule &schedule);

} // namespace ptosync::replay
