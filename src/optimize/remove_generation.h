// Edit kind: take one generation out of a web that must stay: a wait and the set that fills the flag
// again behind it, so that one setting lasts where there were two.
//
//   set a; ..; wait a; ..; set a; ..; wait a     ->     set a; ..; .. ; wait a
//
// Candidates are a wait and the next set of its flag in one straight line, which may be that of another
// web (the drain of one loop and the prime of the next: the two webs become one), and all statements of
// the web inside one loop (prime and drain then stay). Tokens must stay balanced on every path, so a pair
// in one arm of a branch goes only if the flag is full on all ways to the arm and behind it; and what
// the wait ordered must be ordered otherwise, the flag's own next setting behind its wait included.
// Tested by tests/optimize/remove_generation_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

void removeGenerations(EditSession &session);

} // namespace ptosync
