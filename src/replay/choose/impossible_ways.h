// Ways that no inputs lead to, by what must hold where they are.
//
//   if (m - (m - 1) / 2 * 2 - 1 == 1) {      written down as (m - 1) % 2 == 1
//     if (m < 0) ...                         is this way possible?
//   }
//
//   facts       (m - 1) % 2 is 1, m < 0 is true; what is assumed of m, if anything is (kernel/assumption.h)
//   backwards   the remainder is positive, so m - 1 is at least 1, so m is at least 2; m < 0 leaves m at most -1
//   settled     m has no bounds left: no run takes the way
//
// The condition of a way is written down with what its variables were assigned, and so are the conditions of all
// branches that must have gone one way before. Then the bounds of every number in them are drawn together: forwards a
// number lies within what its operands leave it, backwards its operands lie within what it leaves them, where the
// operation does not wrap. Over-approximates, so that what is empty is so: for runs that C++ says something of, in
// which no loop runs 2^30 times and no argument of 64 bits is beyond 2^40. A variable that is assigned twice counts as
// any number of its type, or, if it counts a loop, as one from its first value on. Only the coverage is told: a way
// that is called impossible is not missed. Tested by tests/replay/choose/impossible_ways_test.cpp and
// tests/replay/choose/derivation_test.cpp.
#pragma once

#include "replay/choose/derivation.h"
#include "replay/run/interpreter.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ptosync::replay {

/// A number that is known to lie within some bounds.
struct Fact {
  Derived number;
  Range range;
};

/// Returns false if no inputs meet all of these facts; `sources` bounds some sources further than their types do, by
/// node.
bool mayHold(const Derivation &derivation, const std::vector<Fact> &facts, const NodeBounds &sources);

/// The values of arguments that are given, by number.
using ArgumentValues = std::map<std::uint32_t, std::int64_t>;

/// Returns those of some ways that are impossible in the runs with these arguments.
std::set<Way> impossibleWays(Subject &subject, const std::set<Way> &ways, const ArgumentValues &given = {});

} // namespace ptosync::replay
