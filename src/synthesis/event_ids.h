// Gives event ids to the flags that stay of those that were proposed.
#pragma once

#include "ordering/pending.h"
#include "ordering/syncs.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ptosync::synthesis {

// Event ids for the flags that stay: few, and no two flags on one id that could be in each other's way.
//
//   flags, each on an id of its own --interference--> colouring with the ids that there are
//
// Two flags of the same pipes may share an id if neither can be set where the other may still be set or may still be
// waited for: in program order, and as the pipes run. Ids that a library call uses inside, and reserved ones, are left
// alone. What comes out is analysed again like any kernel. Tested by tests/synthesis/event_ids_test.cpp.

struct IdAssignment {
  std::vector<std::int64_t> ids;            // of the proposed flags, in their order; -1: none was left for it
  std::set<std::pair<Pipe, Pipe>> shortage; // the pipes of those
};

/// For `proposed`, each a web of its own on ids of no one else: ids below `ids` of their pair of pipes. Of a flag with
/// several ids the first one: the others follow as they do now.
IdAssignment assignIds(const Program &program, const Pending &pending, const std::vector<std::set<SiteId>> &proposed,
                       unsigned ids, const std::set<std::int64_t> &reserved);

} // namespace ptosync::synthesis
