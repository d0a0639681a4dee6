// Edit kind: take out flags together of which each is kept only because without it another could be set again too
// early.
//
//   for (..) { set a; wait a; set b; wait b }      a: V -> MTE3, b: MTE3 -> V, and nothing that either orders
//
// Alone neither may go: a's wait is what b's next set is known to come behind, and the other way round. Without both no
// flag is left that could be set too early. Such a group is grown from one web: whatever flag its removal would let be
// set too early goes with it, as long as that may be edited and is asked for. The trial of the whole group is that of
// any removal: what the waits ordered must be ordered otherwise, and all other flags stay as they are.
// Does not look for groups of more than a few webs. Tested by tests/optimize/remove_handshake_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

void removeHandshakes(EditSession &session);

} // namespace ptosync
