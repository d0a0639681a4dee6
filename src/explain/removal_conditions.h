// Finds what would let a sync go that stays: options, a cheaper sync, a shared barrier, separate storage, or nothing.
//
// Each condition but the last resort is tried, not guessed: options by deciding the file again with them, everything
// else by analysing the kernels that run through the sync as they would then be. Only a few of each are tried, so a
// condition that is not listed may exist. Tested by tests/explain/removal_conditions_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

/// Returns the conditions of a sync. `explained` must have everything but these.
std::vector<RemovalCondition> removalConditions(const AnalysedFile &file, const SyncExplanation &explained);

} // namespace ptosync
