// `ptosync verify BEFORE AFTER`: is the second file as well synchronised as the first?
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code: 0 no finding, 1 findings, 2 usage, 3 a file cannot be analysed.
int runVerify(const ToolOptions &options);

} // namespace ptosync
