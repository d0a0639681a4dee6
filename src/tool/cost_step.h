// The times of a file: those that `opt --cost` reports, of the input, the result and each sync alone, and what
// `timeline` draws.
//
// The result is timed on the input's runs with the removed syncs left out; if a flag was moved, the patched text is
// lifted and run instead. Tested by tests/tool/cost_test.cpp.
#pragma once

#include "report/html_report.h"
#include "tool/options.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace ptosync {

/// The built-in durations of the machine's architecture, under those of --timing.
llvm::Expected<timing::CostTable> loadCosts(const Machine &machine, const ToolOptions &options);

/// Every kernel that does any work, the cores of one kernel in the same run; by name, then as in the file. Errors: an
/// argument that no kernel has, of class replay::ArgumentError.
llvm::Expected<std::vector<timing::KernelTiming>> timeModule(const Module &module, const Machine &machine,
                                                             const replay::Options &options,
                                                             const timing::CostTable &costs);

struct Costs {
  CostReport report;
  std::vector<DrawnKernel> drawn; // before and after; with --html only
};

llvm::Expected<Costs> estimateCosts(const Module &module, const OptimizeResult &result, const std::string &patched,
                                    const Machine &machine, const ToolOptions &options);

/// Prints the error and returns its exit code: an argument that does not exist is a matter of usage.
int failTiming(llvm::Error error);

} // namespace ptosync
