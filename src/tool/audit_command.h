// `ptosync audit`: report what is wrong with the synchronisation of kernel files, and change nothing.
#pragma once

#include "tool/options.h"

namespace ptosync {

/// The exit code: 0 clean, 1 findings, 2 usage or configuration, 3 an input could not be analysed.
int runAudit(const ToolOptions &options);

} // namespace ptosync
