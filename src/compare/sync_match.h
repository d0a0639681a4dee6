// Finds for each sync of one version the same sync in the other, by what it orders, and tells which are new, gone or
// moved.
//
//   outlines, loops, ordered pairs --matchSyncs--> one entry for each sync, or for the two that are one
//
// The instructions of both versions are laid beside each other first (a longest common sequence of their kinds, loop by
// loop). Then a sync is the same as one of its kind in the other version, in this order of preference:
//   same     between the same instructions, ordering the same kinds of instructions, or with its other half there too;
//   moved    ordering the very same two instructions from another place, or the other half of what has been found;
//   copies   where one version has more of them, but they run as often: an unrolled loop, a statement in both arms;
//   moved    ordering the same kinds of instructions, which themselves stand elsewhere;
//   changed  between the same instructions, ordering others: the other half of its flag stands elsewhere.
// What is left is gone or new. Line numbers, names of variables, addresses and event ids are not looked at.
// Tested by tests/compare/sync_match_test.cpp.
#pragma once

#include "compare/loop_match.h"
#include "compare/ordered_pairs.h"

namespace ptosync::compare {

enum class SyncChange : std::uint8_t { Same, Moved, Changed, Copies, Gone, New };

/// "same", "moved", "changed", "copies", "gone", "new".
const char *syncChangeName(SyncChange change);

struct SyncPair {
  SyncChange change = SyncChange::Same;
  std::optional<std::size_t> a, b; // items of the outlines; Copies: one of them
};

using SyncRuns = std::map<const Statement *, SyncRun>;

struct Version {
  const Outline &outline;
  const SyncRuns &runs;
};

/// Returns one entry for each sync, or for the two that are the same: in the reading order of the first version, then
/// those that only the second version has, in its own.
std::vector<SyncPair> matchSyncs(const Version &a, const Version &b, const std::vector<LoopPair> &loops);

} // namespace ptosync::compare
