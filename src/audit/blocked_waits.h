// Finds what stands still behind a wait that never ends.
//
// Pipes are in-order queues: behind the wait nothing of its pipe starts, so no flag that its pipe sets further down
// is set, so the waits for those stand still too, and so on. If the set that would end the wait is among what stands
// still, the kernel hangs. Under-approximate: an event counts as held up only if every way to it leads through the
// wait that holds its pipe, and a wait only if every set that could feed it is held up.
// Tested by tests/audit/blocked_waits_test.cpp.
#pragma once

#include "ordering/program.h"

#include <vector>

namespace ptosync {

/// Returns the waits that `wait` holds up, if every set that could feed it is held up with them and at least one other
/// wait takes part. Returns an empty list otherwise, also where the analysis can't tell.
std::vector<const Statement *> blockedBehind(const Program &program, const Statement &wait);

} // namespace ptosync
