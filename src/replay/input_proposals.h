// Which inputs make a number of a run what is wanted, found backwards from how it was derived.
//
//   (n + 63) / 64 > 3, n = 64      / 64: n + 63 from 256 on      + 63: n from 193 on      n = 193
//
// A comparison is undone operand by operand, up to an input; where one input has a part in both of its sides, the way
// back misses, and numbers at growing distances are tried, and halved back to where the answer turns. Every proposal
// makes the number what is wanted as far as it is derived like that; a run may go another way with it.
// Tested by tests/replay/derivation_test.cpp.
#pragma once

#include "replay/derivation.h"

#include <vector>

namespace ptosync::replay {

enum class Preferred : std::uint8_t {
  Small, // numbers near 0
  Near,  // numbers near what the run has
};

/// At most `most`, those of few inputs and of preferred numbers first. `numbers`: constants that may be worth a try.
std::vector<SourceChanges> proposalsFor(const Derivation &derivation, const Derived &condition, bool wanted,
                                        const std::vector<std::int64_t> &numbers, Preferred preferred,
                                        std::size_t most);

} // namespace ptosync::replay
