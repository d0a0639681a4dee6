// What would let a sync go that stays: options, a cheaper sync, a shared barrier, separate storage, or nothing.
//
// Each condition but the last resort is tried, not guessed: options by deciding the file again with them, everything
// else by analysing the kernels that run through the sync as they would then be. At most a few of each.
// Tested by tests/explain/removal_conditions_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

/// `explained` has everything but its conditions.
std::vector<RemovalCondition> removalConditions(const AnalysedFile &file, const SyncExplanation &explained);

} // namespace ptosync
