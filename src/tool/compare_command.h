// `ptosync compare A.cpp B.cpp`: two versions of a kernel file beside each other.
// Tested by tests/tool/compare_command_test.cpp.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code: 1 where --fail-over is broken, 3 where a kernel of both files could not be analysed.
int runCompare(const ToolOptions &options);

} // namespace ptosync
