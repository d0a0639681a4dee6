// `ptosync opt`: remove redundant barriers from one kernel file.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code.
int runOpt(const ToolOptions &options);

} // namespace ptosync
