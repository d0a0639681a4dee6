// Which syncs a conflict that is not seen ordered keeps in place.
//
// The analysis may fail to see that a pair is ordered (an unknown address, a dynamic lane) although
// the very sync under test orders it; taking the sync out would then add nothing to the list of
// open conflicts. So every open pair (a, b) pins each barrier that could lie between a's
// completion and b's start, by pipes and by position. The same holds for orders relative to opaque
// fences, for flags set again, and for the kernel's end, that hold on some paths only.
// Over-approximate: pins too much, never too little. Tested by tests/optimize/pins_test.cpp.
#pragma once

#include "ordering/pending.h"

#include <map>

namespace ptosync {

/// For each pinned site of the program: the first open conflict that pins it. With more open
/// conflicts than the analysis lists, every site.
std::map<SiteId, ConflictPair> pinnedSites(const Program &program, const Pending &pending);

} // namespace ptosync
