// Finds who touches bytes first after an instruction has left something in them.
//
// Follows every path from the instruction until an access certainly overlaps the bytes: a reader needs what is there,
// a writer ends the path. Loops are followed round. Accesses whose place is not certain are passed over, so a reader
// that is reported is one; not every reader is reported. Tested by tests/audit/first_touch_test.cpp.
#pragma once

#include "ordering/hazard.h"

#include <vector>

namespace ptosync {

struct Touch {
  NodeId node = kNone;
  std::uint32_t access = 0;
};

/// Returns the first readers of the bytes of access `access` of node `id`. Scratch and hidden accesses count as
/// writers. Under-approximate: not every reader is found.
std::vector<Touch> firstReaders(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access);

} // namespace ptosync
