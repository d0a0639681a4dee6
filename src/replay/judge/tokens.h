// Why a run gets stuck: the waits that wait for one another, or for nothing.
//
// Tested by tests/replay/judge/tokens_test.cpp.
#pragma once

#include "replay/judge/schedule.h"

#include <string>
#include <vector>

namespace ptosync::replay {

// Flags as binary tokens: what goes wrong with them in one run.
//
// The n-th set of a flag is taken by its n-th wait. A set that may fire before the previous one
// was taken is lost on a binary flag; a flag that is still set at the end leaks into the next
// kernel; a wait that is issued before its set works only while the queues are deep enough.
// Emitted kernels have some of these, so only what a second kernel adds is held against it.
// Tested by tests/replay/judge/tokens_test.cpp.

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

/// `whole`: the run came to its end, so that what is missing is missing.
std::vector<TokenFault> tokenFaults(const Schedule &schedule, bool whole);

/// Those of `after` that `before` has not. The uses of a flag in the two runs are matched by where they stand among
/// the instructions, in order; uses may have been taken out or moved. A set that may come too soon is
/// new only if the first run kept it behind that wait.
std::vector<TokenFault> newTokenFaults(const Schedule &beforeSchedule, const std::vector<TokenFault> &before,
                                       const Schedule &afterSchedule, const std::vector<TokenFault> &after);

/// One sentence with lines.
std::string describe(const TokenFault &fault);

/// One sentence that follows the blocked pipes from one to the next until the circle closes or a
/// wait turns out to have no set. Empty if nothing is stuck.
std::string explainDeadlock(const Trace &trace, const Schedule &schedule);

} // namespace ptosync::replay
