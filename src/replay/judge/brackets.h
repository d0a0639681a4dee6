// Brackets of buffer ids in one run: which are amiss, and so what may be built on them.
//
//   get_buf(PIPE_MTE2, 0, 0)     held by MTE2
//   get_buf(PIPE_MTE3, 0, 0)     nested: id 0 is held. What the hardware does with this id from here on is not said
//   TPUT(dst, src, tile)
//   rls_buf(PIPE_MTE2, 0, 0)     released by another pipe than the one that got it last
//   rls_buf(PIPE_MTE3, 0, 0)     not held
//
// The brackets of one id must not nest, and both ends of one name the same pipe, id and mode. In one run the statements
// come in one order, so who holds what is a number per id. Emitted kernels have faults of this kind, so `verify` holds
// only new ones against a text (`newBracketFaults`), and a schedule builds on no bracket of such an id in its careful
// reading (schedule.h). Tested by tests/replay/judge/schedule_test.cpp.
#pragma once

#include "replay/run/interpreter.h"

#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

enum class BracketFaultKind : std::uint8_t { Nested, NotHeld, OtherPipe, OtherMode, Open };

/// "bracket-nested", "bracket-not-held", ...
const char *bracketFaultName(BracketFaultKind kind);

struct BracketFault {
  BracketFaultKind kind = BracketFaultKind::Nested;
  std::int64_t id = 0;
  const Statement *statement = nullptr; // at which it shows; of Open the get
  const Statement *holder = nullptr;    // the get that holds the id; null of NotHeld
};

/// Returns all faults of a run, in its order. `whole`: the run came to its end, so that what is open stays open.
std::vector<BracketFault> bracketFaults(const Trace &trace, bool whole);

/// Returns the faults of `after` beyond as many of the same kind and id as `before` has.
std::vector<BracketFault> newBracketFaults(const std::vector<BracketFault> &before,
                                           const std::vector<BracketFault> &after);

/// Returns the ids of which something is amiss, by its faults alone.
std::set<std::int64_t> idsAmiss(const std::vector<BracketFault> &faults);

/// Returns one sentence with lines.
std::string describe(const BracketFault &fault);

} // namespace ptosync::replay
