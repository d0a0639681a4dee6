// The fewest changes that make one flag binary on every path again.
//
//   a flag that is not --one change, or a flag of its own for some of its statements, or two insertions--> binary
//
// One change is: a set or a wait put in; of two sets in a row the first taken out, of two waits the second, for what is
// left says as much; or one statement given the id of another faulty flag between the same pipes, for which it was
// meant. If none does, some of its statements get an event id that is free; if that does not, two statements are put
// in. Of the changes that do, the one that leaves the least unordered is taken, then the fastest. Nothing said here is
// believed: fix.h reads the text that results. Tested by tests/synthesis/fix_test.cpp and tests/golden/fix_test.cpp.
#pragma once

#include "synthesis/fix.h"

namespace ptosync::synthesis {

/// The change, on top of `base`; the error says why there is none.
llvm::Expected<SyncPlan> repairFlag(const RepairContext &context, const SyncPlan &base, const Flag &flag);

} // namespace ptosync::synthesis
