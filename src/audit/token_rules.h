// Finds flags that go wrong: set while set, waited for and never set, left set at the end, and waits that hold one
// another up.
//
// The rules are in token_rules.cpp; what stands here are the two counts that they rest on, which never accuse a path
// that may be right.
#pragma once

#include "ordering/program.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ptosync {

// Finds what stands still behind a wait that never ends.
//
// Pipes are in-order queues: behind the wait nothing of its pipe starts, so no flag that its pipe sets further down
// is set, so the waits for those stand still too, and so on. If the set that would end the wait is among what stands
// still, the kernel hangs. Under-approximate: an event counts as held up only if every way to it leads through the
// wait that holds its pipe, and a wait only if every set that could feed it is held up.
// Tested by tests/audit/token_rules_test.cpp.

/// Returns the waits that `wait` holds up, if every set that could feed it is held up with them and at least one other
/// wait takes part. Returns an empty list otherwise, also where the analysis can't tell.
std::vector<const Statement *> blockedBehind(const Program &program, const Statement &wait);

// Counts how many more sets than waits of a pair of pipes a kernel runs through, where every path agrees.
//
// A flag is binary and starts and ends empty, so over all ids of a pair sets and waits come out even, whichever ids a
// run chooses. Where they do not, something is wrong although no single flag can be followed: lanes that arguments
// decide. Exact: says nothing where paths differ, a loop's trips included.
// Tested by tests/audit/token_rules_test.cpp.

/// Returns by source and destination pipe how many more sets than waits every path has. A pair has an entry only if all
/// paths end with the same number and it is not 0.
std::map<std::pair<Pipe, Pipe>, std::int64_t> unevenPairs(const Program &program);

} // namespace ptosync
