// The times of a file: those that `opt --cost` reports, of the input, the result and each sync alone, and what
// `timeline` draws.
//
// The result is timed on the input's runs with the removed syncs left out; if a flag was moved, the patched text is
// lifted and run instead. Tested by tests/tool/cost_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "pipeline/run_choices.h"
#include "report/html_report.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace ptosync {

/// Every kernel that does any work, the cores of one kernel in the same run; by name, then as in the file. Errors: an
/// argument that no kernel has, of class replay::ArgumentError.
llvm::Expected<std::vector<timing::KernelTiming>> timeModule(const Module &module, const Machine &machine,
                                                             const replay::Options &options,
                                                             const timing::CostTable &costs);

enum class Drawings : bool { LeftOut, Made };

struct Costs {
  CostReport report;
  std::vector<DrawnKernel> drawn; // before and after, if they are made
};
/// `patched`: the text of the result. Errors as of timeModule, and where that text cannot be read.
llvm::Expected<Costs> estimateCosts(const Module &module, const OptimizeResult &result, const std::string &patched,
                                    const Machine &machine, const timing::CostTable &table, const RunChoices &choices,
                                    Drawings drawings);

} // namespace ptosync
