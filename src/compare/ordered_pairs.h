// Finds what a sync orders, as far as one run shows: the nearest pair of instructions that conflict and lie on its two
// sides.
//
//   KernelTiming --orderedPairs--> sync statement -> (earlier, later) statement
//
// Of a barrier: the first instruction behind it, on its pipe, whose data depends on one in front of it on that pipe,
// and the latest such one in front. Of a flag: the same for what precedes the set on its pipe and what follows the wait
// on the other; a set and the wait it lets go have the same pair. A sync that runs many times has the pair that it has
// most often. The pair depends on where the sync stands among the instructions and on their bytes, not on the other
// syncs: taking one out changes nothing about the rest. It is a name for a sync and no proof: what else orders the pair
// is not asked. Tested by tests/compare/ordered_pairs_test.cpp.
#pragma once

#include "timing/timeline.h"

#include <map>

namespace ptosync::compare {

struct OrderedPair {
  const Statement *earlier = nullptr, *later = nullptr; // null: it orders no data in this run
  bool carried = false;                                 // a loop around both goes on to another iteration in between
  bool empty() const { return !earlier; }
};

struct SyncRun {
  OrderedPair pair;
  double executions = 0;                // of the run, those counted and not simulated included
  const Statement *otherHalf = nullptr; // of a set the wait that it lets go most often, and the other way round
};

/// Returns every sync statement that the run executes, with the pair that it orders.
std::map<const Statement *, SyncRun> orderedPairs(const timing::KernelTiming &timing);

/// Returns how often the run executes each instruction, iterations that were counted and not simulated included.
std::map<const Statement *, double> executionsOf(const timing::KernelTiming &timing);

} // namespace ptosync::compare
