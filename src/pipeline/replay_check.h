// The patched text read again and replayed against the kernel that it was made of.
//
//   patched text --lift--> Module --the rest of the file is as it was, replay--> verdict
//
// The second engine's word on an output, asked before anything is published. What stands outside the edited syncs is
// compared by shape in every function of the file, kernel or not. Tested by tests/pipeline/replay_check_test.cpp.
#pragma once

#include "pipeline/run_choices.h"
#include "replay/verify.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>

namespace ptosync {

/// What `patched` has lost of what `before` has, in the core sections that were edited. Errors: it no longer parses,
/// the edits change more than syncs, or it cannot be replayed.
llvm::Expected<replay::Verdict> replayPatched(const Module &before, const std::string &patched,
                                              const std::set<Section> &sections, const Machine &machine,
                                              const RunChoices &choices);

} // namespace ptosync
