// Finds for each sync of one version the same sync in the other, by what it orders.
//
// The sections are the outline of a kernel, its loops, the pairs that a sync orders in one run, and the match.
#pragma once

#include "machine/machine.h"
#include "replay/run/control_flow.h"
#include "timing/timeline.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptosync::compare {

// Writes a kernel as a list that can be laid beside another version's: instructions and syncs in reading order, and
// loops.
//
//   Kernel + LoopNest --outlineOf--> items, loops
//
// Reading order is that of the control flow: a loop's body in front of what follows it, an arm in front of the join,
// helper calls expanded. Where a new piece of control flow begins stands a boundary, so that what moves into a branch
// is seen to move. Names of variables, lines and addresses are not looked at. Scalar code is counted, and code that
// cannot be reached is left out. Tested by tests/compare/sync_match_test.cpp.

/// The group under which an item is counted.
enum class Family : std::uint8_t {
  Instruction,
  Sync,      // a barrier, a set, a wait, the end fence
  CrossCore, // a call that signals to or waits for the other core, or for anyone
  Fifo,      // a call that takes, fills, hands on or frees an entry of a FIFO between the cores
  Boundary,  // a branch is taken, or paths meet: no statement
};

/// "instruction", "sync", "cross-core", "fifo".
const char *familyName(Family family);

struct OutlineItem {
  Family family = Family::Boundary;
  std::string kind;                     // "TADD", "pipe_barrier(PIPE_V)", "set_flag(PIPE_MTE2, PIPE_V)", "end fence"
  const Statement *statement = nullptr; // null: a boundary
  replay::LoopId loop = kNone;          // innermost
  /// Scalar statements in front of it, since the last item that is no sync.
  std::uint32_t scalars = 0;
  std::string event = {}; // of a flag: its event id as the text has it
};

struct OutlineLoop {
  replay::LoopId loop = kNone;            // in the nest
  std::uint32_t line = 0, depth = 0;      // depth 0: outermost
  std::vector<std::size_t> inner;         // of Outline::loops, in reading order
  std::map<std::string, double> contents; // statements of each kind of instruction, inner loops included
};

struct Outline {
  std::vector<OutlineItem> items;
  std::vector<OutlineLoop> loops;     // in reading order
  std::vector<std::size_t> outermost; // of `loops`
};

Outline outlineOf(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine);

/// "set_flag(PIPE_MTE2, PIPE_V)": without the event id, which is an allocation and not what is ordered.
std::string syncKindText(const Sync &sync);

/// The barrier of every pipe.
inline const Sync kBarrierAll = {SyncKind::Barrier, Pipe::All, Pipe::All, kNone, kNone};

// Finds for each loop of one version the same loop in the other: by nesting and by the instructions in it.
//
// Loops that stand beside each other in one version are laid along those that stand beside each other in the other, in
// order, so that as much as possible is alike; then those inside. Alike is the mix of kinds of instructions, not their
// number: a loop that was unrolled a few times is still the same one. Names, lines and trip counts are not looked at.
// Tested by tests/compare/sync_match_test.cpp.

/// Two loops that are the same, as indices into Outline::loops. One is empty if the other loop has no partner.
struct LoopPair {
  std::optional<std::size_t> a, b;
};

/// Returns every loop once, in reading order, with outer loops in front of those inside.
std::vector<LoopPair> matchLoops(const Outline &a, const Outline &b);

/// Returns how alike two mixes of instructions are, from 0 to 1: the cosine of the angle between them. Two empty mixes
/// are alike.
double likeness(const std::map<std::string, double> &a, const std::map<std::string, double> &b);

/// Two loops, or two kernels of different names, that are less alike than this are different ones.
inline constexpr double kLeastLikeness = 0.6;

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
// is not asked. Tested by tests/compare/sync_match_test.cpp.

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

// Finds for each sync of one version the same sync in the other, by what it orders, and tells which are new, gone or
// moved.
//
//   outlines, loops, ordered pairs --matchSyncs--> one entry for each sync, or for the two that are one
//
// The instructions of both versions are laid beside each other first (a longest common sequence of their kinds, loop by
// loop). Then a sync is the same as one of its kind in the other version, in this order of preference:
//
//   same                between the same instructions: with the same event id, ordering the same kinds of instructions,
//                       or, found as `changed` below, with its other half there too
//   moved               ordering the very same two instructions from another place, or the other half of a pair so far
//   widened, narrowed   a barrier of every pipe in the place of one sync; the other way round
//   copies              one version has more of them, but they run as often: an unrolled loop, a statement in both arms
//   moved               ordering the same kinds of instructions, which themselves stand elsewhere
//   changed             between the same instructions, ordering others; then a few instructions away, ordering others
//
// What is left is gone or new. What is the same between the same instructions has moved all the same if it stands on
// another side of a scalar statement or of a sync that both have: the second may carry an order on. Line numbers, names
// of variables and addresses are not looked at, and event ids only to tell which of several in one place is which.
// Tested by tests/compare/sync_match_test.cpp.

enum class MatchKind : std::uint8_t { Same, Moved, Changed, Copies, Gone, New, Widened, Narrowed };

/// "same", "moved", "changed", "copies", "gone", "new", "widened", "narrowed".
const char *matchKindName(MatchKind change);

struct SyncPair {
  MatchKind change = MatchKind::Same;
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
