// `ptosync timeline`: what each pipe does when, estimated. Tested by tests/tool/timeline_test.cpp.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// Returns the exit code.
int runTimeline(const ToolOptions &options);

} // namespace ptosync
