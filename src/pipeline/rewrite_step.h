// The rewrites that a run of `opt` was asked for, made in front of everything else.
//
//   Module --decide, edit, lift again--> rewritten Module --replay--> agreed --> what the optimiser works on
//
// A rewrite is proved twice, like every edit: by the analysis (fifo_slots.h) and by replaying the rewritten kernel
// against the input (relayout.h). The optimiser then starts from the rewritten kernel, so a sync that the new layout
// needs is kept.
// Tested by tests/pipeline/rewrite_step_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "base/messages.h"
#include "machine/machine.h"
#include "optimize/fifo_slots.h"
#include "patterns/catalogue.h"
#include "pipeline/run_choices.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <vector>

namespace ptosync {

/// "fifo-local-slots", "fifo-local-slots=2", "fifo-local-slots=auto", as given on the command line. Fails if it names
/// no rewrite, one that is not for this architecture, or a count outside the rewrite's bounds.
llvm::Expected<RewriteRequest> readRewrite(const std::string &text, const Catalogue &catalogue, const Machine &machine);

struct Rewritten {
  std::optional<Module> module; // empty: nothing changed
  std::vector<FifoDecision> decisions;
};

/// A count that a FIFO cannot have, or a rewrite that there is not.
class RewriteRefused : public TextError<RewriteRefused> {
public:
  using TextError::TextError;
};

/// Errors: RewriteRefused, or that the engines disagree.
llvm::Expected<Rewritten> rewriteModule(const Module &module, const std::vector<RewriteRequest> &requests,
                                        const Machine &machine, const RunChoices &choices);

} // namespace ptosync
