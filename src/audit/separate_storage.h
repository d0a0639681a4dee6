// Tells whether a sync could go if some tiles had storage of their own.
//
// Answered by trial: in a copy of the kernel every assignment of an address to one of the tiles gives a place beyond
// all on-chip memory, a different one for each, and the sync is taken out of that. Only a tile whose contents are read
// through its own name may be moved at all; through another name the sharing is the point.
// Tested by tests/audit/separate_storage_test.cpp.
#pragma once

#include "machine/machine.h"
#include "ordering/hazard.h"

#include <set>

namespace ptosync {

/// Returns true if what `access` of `writer` leaves behind is read, and only through the name by which it was written.
/// Returns false where a reader may go unseen.
bool readByItsNameOnly(const Program &program, const HazardModel &model, NodeId writer, std::uint32_t access);

/// Returns true if the sites could go if the tiles with these address variables lay elsewhere, and false if that is not
/// proved.
bool goesWithSeparateStorage(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const std::set<SiteId> &sites, const std::set<VariableId> &addresses);

} // namespace ptosync
