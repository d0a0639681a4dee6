// From decisions to the kernel that is written: its text, and the core sections whose program is another now.
// Tested by tests/tool/opt_command_test.cpp and, through tests/support/corpus.h, by the golden tests.
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"
#include "rewrite/edit.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>

namespace ptosync {

/// Of the source, with every removal and move of `result` and what it adds.
std::vector<Edit> editsFor(const Module &module, const OptimizeResult &result);

/// The source of `module` with every removal and move of `result` made.
llvm::Expected<std::string> patchedText(const Module &module, const OptimizeResult &result);

/// The core sections whose program an edit changes.
std::set<Section> editedSections(const OptimizeResult &result);

} // namespace ptosync
