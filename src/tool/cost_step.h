// The times that `opt --cost` reports: the input, the result, and each sync alone.
//
// The result is timed on the input's runs with the removed syncs left out; if a flag was moved, the patched text is
// lifted and run instead. Tested by tests/tool/cost_test.cpp.
#pragma once

#include "report/cost_report.h"
#include "tool/options.h"

#include <llvm/Support/Error.h>

#include <string>

namespace ptosync {

llvm::Expected<CostReport> estimateCosts(const Module &module, const OptimizeResult &result,
                                         const std::string &patched, const Machine &machine,
                                         const ToolOptions &options);

} // namespace ptosync
