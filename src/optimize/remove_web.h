// Edit kind: take out a whole web of set_flag and wait_flag statements, or a flag that another one of
// the same pipes covers from inside.
//
// Without the web no other flag changes, so tokens stay balanced by construction; what its waits
// ordered must be ordered otherwise, and so must each later setting of every other flag behind its
// wait. Two flags of one pair whose spans nest, set a, set b, wait b, wait a, are one: b is set later
// and waited for earlier. Such an outer flag is taken out by the pattern action merge-flags.
// Tested by tests/optimize/remove_web_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

/// Tries every web that was not tried as it now stands, or was kept only for the reuse of another flag.
void removeWebs(EditSession &session);

} // namespace ptosync
