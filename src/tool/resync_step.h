// `opt --resync`: the decisions of a run that places syncs anew.
// Tested by the golden tests over corpus/ (resync_gemm, resync_pipeline) and tests/tool/opt_command_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "patterns/catalogue.h"
#include "synthesis/resync.h"
#include "tool/options.h"

#include <string>

namespace ptosync {

llvm::Expected<synthesis::ResyncResult> resyncModule(const Module &module, const Machine &machine,
                                                     const Catalogue &catalogue, const ToolOptions &options);

/// What is wrong with --reserve-ids on this machine, empty if nothing is: an id that it does not have.
std::string wrongReservedId(const Machine &machine, const ToolOptions &options);

} // namespace ptosync
