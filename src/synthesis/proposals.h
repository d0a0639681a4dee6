// Proposes syncs for a required order, and where to put them.
//
// The sections are a proposal as data, its text, its places in the lists of statements, the guards of first and last
// iterations, and the choice.
#pragma once

#include "kernel/sync_plan.h"
#include "ordering/program.h"
#include "synthesis/required_order.h"

#include <optional>
#include <string>
#include <vector>

namespace ptosync::synthesis {

// A barrier or a flag that could be put into a kernel, and where.
//
// Plain data. Places are children of lists: in front of one or behind it. Of what stands at one place, lower ranks come
// first. Tested through tests/synthesis/proposals_test.cpp.

struct ListPlace {
  ListId list = kNone;
  std::uint32_t child = kNone;
  bool behind = false; // the child; otherwise in front of it
  std::uint8_t rank = 0;
  auto operator<=>(const ListPlace &) const = default;
};

/// Every rank of a place is below.
inline constexpr std::uint8_t kRanks = 8;

struct NewSync {
  SyncKind kind = SyncKind::Barrier;
  ListPlace place;
  std::uint32_t slot = 0;   // of its flag's ids
  bool counted = false;     // that many behind the one of the iteration
  std::uint32_t reason = 0; // Proposal::reason, or from 1 on one of Proposal::others
  std::string guard = {};   // a condition that holds in one trip (tripGuard); empty: it always runs
  auto operator<=>(const NewSync &) const = default;
};

/// Flags of one list and pair of pipes, each kind judged apart.
enum class FlagShape : std::uint8_t {
  Other,    // none of these; barriers too
  Forward,  // set, then wait
  Fan,      // set, then a wait in each arm of a branch
  FromArm,  // in the producer's arm: wait at its end
  ToArm,    // in the consumer's arm: set at its begin
  Backward, // primed; wait, and set behind the producer for the next visit; drained
  Slots,    // set, then wait, on the id of the iteration
  Ring,     // wait, and set behind the producer for a visit several iterations later
  Pipeline, // set for several iterations later, then wait
  Lagging,  // wait, and set in front of the producer for the next visit
  InPlace,  // set, then wait, both in front of the consumer
  Peeled,   // Forward or Backward, with one of the two in a loop, in one trip of it
};

struct Proposal {
  Pipe source = Pipe::All, destination = Pipe::All; // a barrier: its pipe, twice
  std::vector<NewSync> syncs;
  OrderReason reason;              // of the pair it was made for
  std::uint32_t handshake = kNone; // number of the pair of flags that it is half of
  std::uint32_t slots = 1;         // ids that follow each other; up to kMostSlots
  std::string counter = {};        // several slots: the expression that grows by one with each iteration
  FlagShape shape = FlagShape::Other;
  std::uint32_t merges = 1;             // proposals that it takes the place of
  std::vector<OrderReason> others = {}; // of those
  const OrderReason &reasonOf(const NewSync &sync) const { return sync.reason == 0 ? reason : others[sync.reason - 1]; }
  bool isBarrier() const { return source == destination; }
};

/// The first event id that a flag has while it is proposed: above those of the machine, and its own.
inline constexpr std::int64_t kFirstProposedId = 64;
inline std::int64_t proposedId(std::size_t number) {
  return kFirstProposedId + static_cast<std::int64_t>(number * kMostSlots);
}

// Syncs that are put into a text: where exactly, on which lines, and with which words.
//
//   NewSync at a ListPlace --> an offset and whether the line follows or precedes it
//
// One statement a line, with the indentation of its neighbour; on a line that it must share, a statement on that line.
// Tested by tests/synthesis/proposals_test.cpp.

/// "EVENT_ID3"; ids above 7 have no name and are cast.
std::string eventName(std::int64_t id);

/// The statement of a sync, with its semicolon. `id`: an event id, or a buffer id.
std::string statementText(SyncKind kind, Pipe source, Pipe destination, std::int64_t id);
/// Of a flag whose event id is spelled like this.
std::string statementText(SyncKind kind, Pipe source, Pipe destination, const std::string &event);

void setReason(AddedSync &added, const OrderReason &reason);

/// The syncs of a proposal, whose ids begin with `id`, as additions to a text.
std::vector<AddedSync> additionsOf(const Proposal &proposal, std::int64_t id, const SourceText &source,
                                   const StatementTree &tree);

// Where in a kernel's text a missing set or wait could have stood.
//
//   lists of statements + what runs in each child --> places, those that order something at all
//
// A set orders what is in front of it on its pipe, so it is put behind what runs there; a wait in front of what runs on
// its pipe; both also in front of loops, behind them, and beside other statements of their flag. Nothing is put behind
// the kernel's end fence, or between a keep comment and the sync that it holds.
// Tested by tests/synthesis/proposals_test.cpp.

class SyncPlaces {
public:
  SyncPlaces(const Kernel &kernel, const StatementTree &tree, const SourceText &source, const Program &program);

  /// For a set or a wait of a flag whose statements stand at `beside`, offsets in the text.
  std::vector<ListPlace> forFlag(SyncKind kind, Pipe pipe, const std::set<std::uint32_t> &beside) const;
  /// The statement at an offset, if it is a child of a list by itself.
  std::optional<ListPlace> inFrontOf(std::uint32_t offset) const;
  /// True if a name of an expression seems to be given a value between a place and child `use` of its list.
  bool definesBehind(const ListPlace &place, std::uint32_t use, std::string_view expression) const;
  /// The offset of a place in the text.
  std::uint32_t offsetOf(const ListPlace &place) const;
  std::uint32_t lineOf(const ListPlace &place) const;

private:
  bool holdsLoop(ListId list, std::uint32_t child) const;
  bool runsOn(ListId list, std::uint32_t child, Pipe pipe) const;
  bool holds(ListId list, std::uint32_t child, const std::set<std::uint32_t> &offsets) const;
  std::optional<ListPlace> inFront(ListId list, std::uint32_t child) const;
  std::optional<ListPlace> behind(ListId list, std::uint32_t child) const;
  std::optional<ListPlace> gap(ListId list, std::uint32_t child, SyncKind kind) const;

  const StatementTree &tree;
  const SourceText &source;
  std::map<ChildPlace, std::set<Pipe>> pipes; // of what runs in a child, at any depth
  std::map<ListId, std::uint32_t> ends;       // by list: the child that is the kernel's end fence
};

// The one trip of a loop in which a sync inside it runs: `if (v40 == 256)`.
//
// A set that stands in the last trip, behind the last instruction it must cover, is over before the rest of that trip;
// behind the loop it would wait for all of it. A wait in the first trip, in front of what needs it, lets what stands in
// front of it there start. Only for loops of which both the first value of the counter and the number of trips are
// known: any other might not run at all. Whether the guarded sync orders anything, and whether its flag is balanced, is
// for the analysis of the kernel that has it. Tested by tests/synthesis/proposals_test.cpp.

enum class Trip : std::uint8_t { First, Last };

/// A condition that holds in that trip of each of `loops`, from the outermost inwards: "i == 3 && k == 256". `path`, of
/// a statement, has them around it from `level` + 1 on. Empty: there is none, not all of them are counted, or an arm of
/// a branch is among the lists.
std::optional<std::string> tripGuard(const RequiredOrder &order, const StatementTree &tree, const TreePath &path,
                                     std::size_t level, const std::vector<LoopId> &loops, Trip trip);

// Which barriers and flags could order the required pairs of a kernel: for each pair several, from tight to wide.
//
//   RequiredPair --places in the lists around both--> Proposal
//
// In one iteration: set behind the child that holds the producer, wait in front of the one that holds the consumer, in
// the innermost list around both; or both in an arm of the producer or of the consumer. Round a loop: wait in front of
// the consumer and set behind the producer, primed in front of the outermost loop and drained behind it; or a trip
// later, set where the next visit waits, which gives storage of two slots its whole overlap: directly in front of the
// producer, or in an arm of the consumer beside the wait, with a second flag the other way that keeps the first from
// being set too early. Where storage lasts for several iterations: the same with an id for each of them, told by the
// loop's counter. Or set where it is waited for, behind all that the producer's pipe has by then: two statements, no
// priming, and as good where the producer has nothing else in between.
// Where a jump leaves the list between the two, the wait of one iteration stands in front of it; the flag that goes
// round the loop is also set in front of a `break` or `continue`, and awaited in front of a `return`.
// Where one of the two stands in a loop that the other is not in: the same with the set in that loop's last trip,
// directly behind the producer, or the wait in its first trip, directly in front of the consumer. Of proposals of one
// list that only differ in width, those that a wider one covers are left out: the wider one is asked for by a pair of
// its own. Whether a proposal orders anything, and whether its flag is balanced, is for the analysis of the kernel that
// has it. Tested by tests/synthesis/proposals_test.cpp.

enum class Range : std::uint8_t {
  Plain, // behind the producer and in front of the consumer
  All,   // also in arms, and a trip later
  Slots, // also with an id for each of several iterations
  Trips, // All, also in the first or last trip of a loop
};

/// In a fixed order. Pairs that only a contested rule orders are left to what the kernel has.
std::vector<Proposal> proposalsFor(const RequiredOrder &order, const StatementTree &tree, Range range = Range::All);

/// For each pair of two pipes: in front of the later statement, either waits for what the other one has behind it. They
/// order every pair, and cost as much as PIPE_ALL between the two. A pipe that has no barrier meets the scalar unit.
std::vector<Proposal> meetingsFor(const RequiredOrder &order, const Machine &machine, Section section);

/// True if the core of a section has what a proposal needs: a barrier of that pipe, or both pipes of the flag.
bool isLegal(const Proposal &proposal, const Machine &machine, Section section);

} // namespace ptosync::synthesis
