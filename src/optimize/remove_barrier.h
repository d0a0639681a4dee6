// Edit kind: take out a barrier that orders nothing.
//
// Patterns nominate; a barrier goes only if no conflict, no order relative to an opaque fence and no
// reuse of a flag is lost in any kernel that runs through it, with all earlier edits applied. Order:
// PIPE_ALL first, then from the deepest loop out, ties by position.
// Tested by tests/optimize/remove_barrier_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

void removeBarriers(EditSession &session);

/// Tries those again that were kept only for the reuse of a flag, now that flags may have gone.
void removeBarriersAgain(EditSession &session);

} // namespace ptosync
