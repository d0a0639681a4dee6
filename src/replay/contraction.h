// Bounds of numbers that are computed from one another, drawn together.
//
//   x / 4 is at least 3, and x is at most 10      x is at least 12: there is no such x
//
// Forwards a number lies within what its operands leave it; backwards its operands lie within what it leaves them, where the
// operation does not wrap. Over-approximate: what is empty is so.
// Tested by tests/replay/derivation_test.cpp.
#pragma once

#include "replay/derivation.h"

#include <vector>

namespace ptosync::replay {

/// A number that is known to lie within some bounds.
struct Fact {
  Derived number;
  Range range;
};

/// False if no inputs meet all of these facts; `sources` bounds some sources further than their types do, by node.
bool mayHold(const Derivation &derivation, const std::vector<Fact> &facts, const NodeBounds &sources);

} // namespace ptosync::replay
