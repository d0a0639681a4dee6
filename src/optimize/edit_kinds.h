// The edit kinds: what each tries, when each has its turn, and what those on flags start from.
//
// An edit kind is a function that tries edits of a session. The session proves each and keeps what was decided, so the
// order of the kinds costs or gains edits, never correctness. What was refused for good is not asked again, for edits
// only weaken; what a later edit may make possible is looked at by a kind that comes round again (removeBarriersAgain).
// Another kind: a source of its own, its name below and its row in edit_kinds.cpp; CONTRIBUTING.md takes the steps.
//
// A kind on flags starts from `editableWebs`. A web is left alone, with its reason on each of its statements, if one of
// them is protected or was not analysed, or if its tokens are not balanced. So is a web that is primed in front of a
// loop, or drained behind it, and that some trips of the loop skip:
//
//   set a                               the prime
//   for (i ..)
//     if (v[i]) { wait a; TLOAD(..); set a }     which trips these are nothing tells
//   wait a                              the drain
//
// What covers such a web is covered trip by trip, and its flag is what ties trips together that lie apart. What the
// kernel leaves open may rest on that, in ways that no path of a few trips shows: no edit takes it out of a kernel that
// is not seen whole (pending.h). Where the loop's phases tell which trips skip it, each phase is a trip like any other;
// where the trips that use it are one after the other (`i < n / 2`), none is tied to one far away: a web like any
// other. One that was put in ties nothing that the kernel as it came has tied: it may go again, and what results is
// verified as a whole. Tested by tests/optimize/edit_kinds_test.cpp, remove_syncs_test.cpp and move_flags_test.cpp.
#pragma once

#include "optimize/edit_session.h"
#include "patterns/pattern.h"

#include <cstdint>
#include <span>

namespace ptosync {

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

/// Returns the kinds in the order in which they run in their turn.
std::span<const EditKind> editKinds();

void runEditKinds(EditSession &session, std::span<const EditKind> kinds = editKinds());

// Removals: remove_syncs.cpp.

/// Takes out barriers that order nothing: PIPE_ALL first, then from the deepest loop out, ties by position.
void removeBarriers(EditSession &session);
/// Tries those again that were kept only for the reuse of a flag, now that flags may have gone.
void removeBarriersAgain(EditSession &session);
/// Takes out whole webs, and flags that another one of the same pipes covers from inside. It tries every web that was
/// not tried as it now stands, or was kept only for the reuse of another flag.
void removeWebs(EditSession &session);
/// Takes generations out of webs that must stay.
void removeGenerations(EditSession &session);
/// Takes out flags together of which each is kept only because without it another could be set again too early.
void removeHandshakes(EditSession &session);

// Moves: move_flags.cpp.

/// Sinks waits, also into the arms of branches, and raises sets, until nothing moves.
void moveFlags(EditSession &session);

/// Returns the webs of the file as it now stands that may be edited: deepest loop first, ties by position.
/// The statements of the others get their reason.
std::vector<Web> editableWebs(EditSession &session);

/// Returns true if the web is primed or drained outside a loop and has statements in it that some trips skip, of which
/// nothing tells which they are, or that they are at one end.
bool isIntermittent(const EditSession &session, const Web &web);

/// Returns the first enabled pattern that asks for `action` on flags from the web's source to its destination.
const Pattern *patternFor(const EditSession &session, PatternAction action, const Web &web);

} // namespace ptosync
