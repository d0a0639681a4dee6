// Finds what a sync orders in one kernel: what nothing else would order, and what something else orders too.
//
//   kernel without the sync --newly open pairs--> needed
//   what the sync faces --followed through the kernel without it (optimize/edit_session.h)--> ordered otherwise
//
// Taken out alone, from the kernel as it stands; what `opt` has removed before it asks is another question, and
// `opt`'s decision answers that. Tested by tests/explain/sync_effect_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/edited_program.h"
#include "explain/explanation.h"

namespace ptosync {

/// Returns the effect of `sites`, which are one barrier, or all statements of a web of flags.
SyncEffect syncEffect(const AnalysedFile &file, std::size_t kernel, const std::set<SiteId> &sites);

/// Returns true if `change` opens nothing in the kernel that is not open anyway. What a contested rule silences counts
/// as open. Returns false if there are too many open pairs to tell.
bool opensNothing(const AnalysedFile &file, std::size_t kernel, const SyncChange &change);

} // namespace ptosync
