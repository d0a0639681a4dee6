// Asks of each sync that a result leaves whether some run needs it: `opt --needed`, `sync --needed`, `explain
// --needed`.
//
//   module, decisions, text of the result --webs--> one question a barrier, one a flag or bracket --replay/needed.h-->
//     one answer a statement, in the lines of the input
//
// A flag is asked about with all statements of its web: a part of it cannot go. What the optimiser's witness says of a
// sync goes along as lines of instructions to aim at, and as nothing else. Of what runs lose nothing without, the
// analysis is asked whether any path does: an end fence, or what a comment holds, is then known to be needed in no run.
// The kernel that is asked about is the one that the text of the result is. Where syncs only went it is the input
// without them, else it is read from its text. Tested by tests/run/needed_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "report/needed_syncs.h"
#include "run/choices.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <set>
#include <string>

namespace ptosync {

/// `patched` is the text that `result` makes of `module`. `only`: statements of the module that are asked about, with
/// their webs; empty: all that stay. Errors: the text cannot be read; an argument that no kernel has.
llvm::Expected<NeededSyncs> askNeeded(const Module &module, const OptimizeResult &result, const std::string &patched,
                                      const Machine &machine, const RunChoices &choices,
                                      const std::optional<std::set<SiteId>> &only = std::nullopt);

} // namespace ptosync
