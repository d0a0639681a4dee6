// Ways that no inputs lead to, by what must hold where they are.
//
//   if (n - (n - 1) / 2 * 2 - 1 == 1) { ... n < 0 ? 0 : n ... }    (n - 1) % 2 is 1: n - 1 is not negative, nor is n
//
// The condition of a way is written down with what its variables were assigned, and so are the conditions of all
// branches that must have gone one way before. Then the bounds of every number in them are drawn together, from what
// they are computed from and from what is computed of them, until nothing changes. If some number has none left, the way is taken
// in no run. Sound for runs that C++ says something of, in which no loop runs 2^30 times and no argument of 64 bits
// is beyond 2^40. A variable that is assigned twice counts as any number of its type, or, if it counts a loop, as one from
// its first value on.
// Tested by tests/replay/ways_test.cpp.
#pragma once

#include "replay/interpreter.h"

#include <set>

namespace ptosync::replay {

/// Of some ways, those that are impossible.
std::set<Way> impossibleWays(Subject &subject, const std::set<Way> &ways);

} // namespace ptosync::replay
