// After how many iterations the branches of a kernel repeat themselves, as far as its divisions tell.
//
// `if (k % 4 == 0)` after 4, `if ((k / 4) % 2)` after 8, `if (k & 1)` after 2. Runs that are to show every phase of a
// loop must be that long and one more, and a loop is not taken to repeat itself before. A guess that chooses runs:
// nothing is concluded from it. Tested by tests/replay/branch_period_test.cpp.
#pragma once

#include "kernel/kernel.h"

namespace ptosync::replay {

class Constants;

/// At least 1, at most kLongestBranchPeriod: the largest that one remainder in a branch condition asks for.
std::uint64_t branchPeriodOf(const Kernel &kernel, const Constants &constants);
inline constexpr std::uint64_t kLongestBranchPeriod = 16;

} // namespace ptosync::replay
