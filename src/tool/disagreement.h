// The last word before `opt` publishes: its output is replayed against its input.
//
// Both engines must agree. If they do not, one of them is wrong, and nobody can tell which from the
// outside: nothing is published, and everything needed to find out is kept in a folder that the error names.
// Tested by tests/tool/disagreement_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "optimize/decision.h"
#include "tool/options.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>

namespace ptosync {

/// If `patched`, which `result` makes of `before`, parses and has lost nothing that `before` has, in the core sections
/// that were edited: the edited statements that no run reached. Otherwise an error that names the first findings and the
/// folder with the reproducer.
llvm::Expected<std::set<SiteId>> checkByReplay(const Module &before, const std::string &patched,
                                               const OptimizeResult &result, const Machine &machine,
                                               const ToolOptions &options);

} // namespace ptosync
