// Syncs placed anew, and broken kernels mended, under the choices of a run.
//
// Tested by tests/pipeline/synthesis_step_test.cpp; what is done by tests/synthesis/.
#pragma once

#include "pipeline/run_choices.h"
#include "synthesis/marked_kernel.h"

namespace ptosync {

/// Reads other texts of the file `name`.
synthesis::Lift lifterOf(const std::string &name, const FrontendOptions &frontend);

} // namespace ptosync
