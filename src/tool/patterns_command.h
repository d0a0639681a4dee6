// `ptosync patterns list | show ID | test`.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code.
int runPatterns(const ToolOptions &options);

} // namespace ptosync
