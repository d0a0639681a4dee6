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
// Tested by tests/replay/run/ways_test.cpp.
#pragma once

#include "replay/choose/derivation.h"
#include "replay/run/interpreter.h"

#include <set>
#include <vector>

namespace ptosync::replay {

// Bounds of numbers that are computed from one another, drawn together.
//
//   x / 4 is at least 3, and x is at most 10      x is at least 12: there is no such x
//
// Forwards a number lies within what its operands leave it; backwards its operands lie within what it leaves them, where the
// operation does not wrap. Over-approximate: what is empty is so.
// Tested by tests/replay/choose/derivation_test.cpp.

/// A number that is known to lie within some bounds.
struct Fact {
  Derived number;
  Range range;
};

/// False if no inputs meet all of these facts; `sources` bounds some sources further than their types do, by node.
bool mayHold(const Derivation &derivation, const std::vector<Fact> &facts, const NodeBounds &sources);

/// Of some ways, those that are impossible.
std::set<Way> impossibleWays(Subject &subject, const std::set<Way> &ways);

} // namespace ptosync::replay
