// Syncs placed anew, and broken kernels mended, under the choices of a run.
//
// Tested by tests/pipeline/synthesis_step_test.cpp; what is done by tests/synthesis/.
#pragma once

#include "pipeline/run_choices.h"
#include "synthesis/fix.h"
#include "synthesis/resync.h"

namespace ptosync {

/// Reads other texts of the file `name`.
synthesis::Lift lifterOf(const std::string &name, const FrontendOptions &frontend);

/// Errors: an argument that no kernel has, of class replay::ArgumentError.
llvm::Expected<synthesis::ResyncResult> placeSyncsAnew(const Module &module, const Machine &machine,
                                                       const Catalogue &catalogue, const timing::CostTable &costs,
                                                       const RunChoices &choices);

enum class Attribution : bool { Together, ByFinding };

/// What `fix` makes of a file; of its findings, errors and warnings. The rest of the file is compared by shape if the
/// module has its shapes.
llvm::Expected<synthesis::FixResult> mendModule(const Module &module, const Machine &machine,
                                                const timing::CostTable &costs, const AuditOptions &audit,
                                                const RunChoices &choices, Attribution attribution);

} // namespace ptosync
