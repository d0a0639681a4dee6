// Def/use chains: for each pair of instructions that meet in memory, nearest first, what orders the two.
//
//   Program, Pending --forward from each instruction, path by path--> ChainLinks
//
// An access is followed until something certainly overwrites all of its bytes; what lies behind that is the overwriting
// one's business. Along the way the syncs are noted behind which a pipe no longer finds the instruction running, as the
// pending sets have it. For reading, not for deciding: of several paths to a place the first is followed, and far ones
// are cut off. What nothing orders on some path is `open`, whatever the path that was followed shows.
// Tested by tests/ordering/chain_links_test.cpp.
#pragma once

#include "ordering/pending.h"

#include <vector>

namespace ptosync {

struct ChainLink {
  std::vector<ConflictPair> pairs; // all of two instances; the one that tells a reader most first; never empty
  NodeId earlier = kNone, later = kNone;
  /// Sync events behind which the later one's pipe knows the earlier one complete: the last of them does, through
  /// those in front. Empty if no sync on the path followed does.
  std::vector<EventKey> syncs;
  Excuse excuse = Excuse::None;
  std::string rule;  // of the excuse
  bool open = false; // some path leaves the pair unordered
};

/// By earlier node, nearest first.
std::vector<ChainLink> findChainLinks(const Program &program, const Pending &pending);

} // namespace ptosync
