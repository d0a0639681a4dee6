// Finds storage that is shared where it should not be: tiles beyond their memory, tiles in one place, and syncs that
// only the sharing needs.
//
// What stands here are the two questions that the rules ask, each answered so that silence is the safe answer.
#pragma once

#include "machine/machine.h"
#include "ordering/hazard.h"

#include <set>
#include <vector>

namespace ptosync {

// Finds who touches bytes first after an instruction has left something in them.
//
// Follows every path from the instruction until an access certainly overlaps the bytes: a reader needs what is there,
// a writer ends the path. Loops are followed round. Accesses whose place is not certain are passed over, so a reader
// that is reported is one; not every reader is reported. Tested by tests/audit/storage_rules_test.cpp.

struct Touch {
  NodeId node = kNone;
  std::uint32_t access = 0;
};

/// Returns the first readers of the bytes of access `access` of node `id`. Scratch and hidden accesses count as
/// writers. Under-approximate: not every reader is found.
std::vector<Touch> firstReaders(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access);

// Tells whether a sync could go if some tiles had storage of their own.
//
// Answered by trial: in a copy of the kernel every assignment of an address to one of the tiles gives a place beyond
// all on-chip memory, a different one for each, and the sync is taken out of that. Only a tile whose contents are read
// through its own name may be moved at all; through another name the sharing is the point.
// Tested by tests/audit/storage_rules_test.cpp.

/// Returns true if what `access` of `writer` leaves behind is read, and only through the name by which it was written.
/// Returns false where a reader may go unseen.
bool readByItsNameOnly(const Program &program, const HazardModel &model, NodeId writer, std::uint32_t access);

/// Returns true if the sites could go if the tiles with these address variables lay elsewhere, and false if that is not
/// proved.
bool goesWithSeparateStorage(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const std::set<SiteId> &sites, const std::set<VariableId> &addresses);

} // namespace ptosync
