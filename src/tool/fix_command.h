// `ptosync fix K.cpp`: the fewest insertions that make a broken kernel right, as a diff or as a file.
//
// Exit codes: 0 everything is mended, or nothing was wrong; 1 something is left, which the report names with its
// reason; 2 usage; 3 not analysed. Tested by tests/tool/fix_command_test.cpp.
#pragma once

#include "pipeline/synthesis_step.h"
#include "tool/options.h"

namespace ptosync {

int runFix(const ToolOptions &options);

/// What `fix` makes of a file that was lifted with its shapes, under the settled options.
llvm::Expected<synthesis::FixResult> fixModule(const Module &module, const Machine &machine, const AuditOptions &audit,
                                               const ToolOptions &options, Attribution attribution);

/// What would be put in may be legal on one architecture alone; then somebody has to have chosen that. Why nothing may
/// be put in; empty if all is well.
std::string undecidedArch(const Module &module, const Machine &machine, const ToolOptions &options,
                          const synthesis::FixResult &result);

} // namespace ptosync
