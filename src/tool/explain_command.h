// `ptosync explain FILE:LINE | FILE:TILE | --memory FILE`: why is this here, and what does it do?
// Tested by tests/tool/explain_command_test.cpp.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code: 0 explained, 2 usage or nothing to explain there, 3 the kernel could not be analysed.
int runExplain(const ToolOptions &options);

} // namespace ptosync
