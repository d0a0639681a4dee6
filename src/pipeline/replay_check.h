// The patched text read again and replayed against the kernel that it was made of.
//
//   patched text --lift--> Module --the rest of the file is as it was, replay--> verdict
//
// The second engine's word on an output, asked before anything is published. What stands outside the edited syncs is
// compared by shape in every function of the file, kernel or not. Tested by tests/pipeline/replay_check_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "pipeline/run_choices.h"
#include "replay/verify.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>

namespace ptosync {

/// What `patched` has lost of what `before` has, in the core sections that were edited. Runs are sought that reach the
/// edited statements of `aims`, lines of `before`. Errors: it no longer parses, the edits change more than syncs, or it
/// cannot be replayed.
llvm::Expected<replay::Verdict> replayPatched(const Module &before, const std::string &patched,
                                              const std::set<Section> &sections, const std::set<std::uint32_t> &aims,
                                              const Machine &machine, const RunChoices &choices);

/// The lines of the statements that were removed or moved.
std::set<std::uint32_t> editedLines(const Module &module, const OptimizeResult &result);

/// The statements that were removed or moved and that no run of the replay reached, in one of the kernels that run through
/// them: they are proved to be needless, and nothing else speaks for it.
std::set<SiteId> editsNotReached(const Module &module, const OptimizeResult &result, const replay::Verdict &verdict);

} // namespace ptosync
