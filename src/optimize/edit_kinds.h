// The edit kinds, and when each has its turn.
//
// An edit kind is a function that tries edits of a session. The session proves each and keeps what was decided, so the
// order of the kinds costs or gains edits, never correctness. What was refused for good is not asked again, for edits
// only weaken; what a later edit may make possible is looked at by a kind that comes round again (removeBarriersAgain).
// Another kind: a header and source of its own, and its row in edit_kinds.cpp; CONTRIBUTING.md takes the steps.
// Tested by tests/optimize/edit_kinds_test.cpp and through the tests of the kinds.
#pragma once

#include <cstdint>
#include <span>

namespace ptosync {

class EditSession;

/// The turns follow each other.
enum class Turn : std::uint8_t {
  Once,           // each kind once
  WhileSyncsGo,   // round and round, until each kind has run since the last edit
  WhileFlagsMove, // the same
};

struct EditKind {
  Turn turn;
  void (*run)(EditSession &session);
  bool settles = false; // a run leaves nothing for another one straight behind it
};

/// In the order in which they run in their turn.
std::span<const EditKind> editKinds();

void runEditKinds(EditSession &session, std::span<const EditKind> kinds = editKinds());

} // namespace ptosync
