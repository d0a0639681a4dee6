// `ptosync model`: what the machine model says of calls, and whether it fits a library.
#pragma once

#include "tool/options.h"

namespace ptosync {

int runModel(const ToolOptions &options);

} // namespace ptosync
