// Edit kind: a wait in front of a branch is sunk into it, a copy into each arm, each to just in front of
// the first instruction of its arm that needs it.
//
//   wait; if (c) { A; use; } else { use; }  -->  if (c) { A; wait; use; } else { wait; use; }
//
// Where every arm of the branch, or what follows, needs what the wait tells, it cannot pass the branch
// (move_flag.h), but what runs first in an arm may still have no need of it. Each way through the branch
// runs one copy, so the flag stays balanced; a branch without `else` has a way without a place for one
// and is left alone. Arms within arms likewise, from the outside in. As for other moves, some
// instruction must start earlier for it, every order and token is proved, and of the places in an arm
// the farthest is taken.
// Sound: the copies are trials like any edit; nothing is concluded from the form of the text but that
// an arm's list of statements runs when the arm is taken and never else (statement_slots.h).
// Tested by tests/optimize/sink_into_arms_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

class ArmSinker {
public:
  ArmSinker(EditSession &session, const std::vector<Web> &webs);
  ~ArmSinker();

  /// One pass over the waits of the webs, which must be editable; true if one was sunk into arms.
  bool run();

private:
  class Search;
  std::unique_ptr<Search> search;
};

} // namespace ptosync
