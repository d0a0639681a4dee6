// The one trip of a loop in which a sync inside it runs: `if (v40 == 256)`.
//
// A set that stands in the last trip, behind the last instruction it must cover, is over before the rest of that trip;
// behind the loop it would wait for all of it. A wait in the first trip, in front of what needs it, lets what stands in
// front of it there start. Only for loops of which both the first value of the counter and the number of trips are
// known: any other might not run at all. Whether the guarded sync orders anything, and whether its flag is balanced, is
// for the analysis of the kernel that has it. Tested by tests/synthesis/trip_guard_test.cpp.
#pragma once

#include "synthesis/required_order.h"

#include <optional>
#include <string>

namespace ptosync::synthesis {

enum class Trip : std::uint8_t { First, Last };

/// A condition that holds in that trip of each of `loops`, from the outermost inwards: "i == 3 && k == 256". `path`, of
/// a statement, has them around it from `level` + 1 on. Empty: there is none, not all of them are counted, or an arm of
/// a branch is among the lists.
std::optional<std::string> tripGuard(const RequiredOrder &order, const StatementTree &tree, const TreePath &path,
                                     std::size_t level, const std::vector<LoopId> &loops, Trip trip);

} // namespace ptosync::synthesis
