// `opt --resync`: the decisions of a run that places syncs anew.
// Tested by the golden tests over corpus/ (resync_gemm, resync_pipeline).
#pragma once

#include "kernel/kernel.h"
#include "patterns/catalogue.h"
#include "synthesis/resync.h"
#include "tool/options.h"

namespace ptosync {

llvm::Expected<synthesis::ResyncResult> resyncModule(const Module &module, const Machine &machine,
                                                     const Catalogue &catalogue, const ToolOptions &options);

} // namespace ptosync
