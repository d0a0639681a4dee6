// The durations that a command estimates with, from where its options say.
//
// Tested by tests/tool/cost_test.cpp and timeline_test.cpp.
#pragma once

#include "timing/cost_table.h"
#include "tool/options.h"

#include <llvm/Support/Error.h>

namespace ptosync {

/// The built-in durations of the machine's architecture, under those of --timing.
llvm::Expected<timing::CostTable> loadCosts(const Machine &machine, const ToolOptions &options);

/// Prints the error and returns its exit code: an argument that does not exist is a matter of usage.
int failTiming(llvm::Error error);

} // namespace ptosync
