// Edit kinds: sink a wait to just in front of the first instruction that needs it, raise a set to just
// behind the last instruction it must cover.
//
// For webs that must stay. A wait that stands too early holds back instructions of its pipe that need
// not wait; a set that stands too late makes its waiter wait for instructions it need not wait for. A
// statement moves only if some instruction may start earlier for it, only to a place that runs exactly
// as often (statement_slots.h), and only if every order and every token still holds; of the places where
// that is so, the farthest. Waits first, then sets, and again until nothing moves. The event id must be a constant, so
// that the text means the same there. A wait in front of a branch that only one arm needs is not put into that arm: it
// would leave the flag set on the other. Copies in both arms are another edit kind, sink_into_arms.h, which takes turns
// here. Tested by tests/optimize/move_flag_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

void moveFlags(EditSession &session);

} // namespace ptosync
