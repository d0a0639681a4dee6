// Whether iterations that were skipped share global memory with something they were not compared with.
//
// A loop counts as repeating although its places in global memory move on. The periods that were run stand for
// those that were not in all but that: the places a skipped iteration sweeps over may be those of an instruction
// behind the loop, or of an iteration many periods away. This says where that may be, from the places and
// steps of the last period that was run; the answer to it is a run without skipping (verify.cpp).
// Over-approximate: what an inner loop swept is taken for one range. Places that memory decides do not move as far
// as anybody knows; they stand for every place in every period, run or not.
// Tested by tests/replay/skip/sweep_test.cpp.
#pragma once

#include "replay/judge/conflict.h"
#include "replay/run/interpreter.h"

namespace ptosync::replay {

/// False only if every skipped access of global memory meets what the periods that were run have met as well,
/// or nothing.
bool skippedMeetOthers(const Subject &subject, const Trace &trace, const ConflictRules &rules);

} // namespace ptosync::replay
