// Would a sync go if some tiles had storage of their own?
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

/// True if what `access` of `writer` leaves behind is read, and through the name it was written by alone.
bool readByItsNameOnly(const Program &program, const HazardModel &model, NodeId writer, std::uint32_t access);

/// True if the sites could go, were the tiles whose address variables these are elsewhere.
bool goesWithSeparateStorage(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const std::set<SiteId> &sites, const std::set<VariableId> &addresses);

} // namespace ptosync
