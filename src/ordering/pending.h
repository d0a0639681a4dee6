// The pending sets: what may still be running when a pipe starts its next instruction; and trials of edits.
//
//   Program --dataflow to the fixpoint--> per block and sync: rows of pending instances
//
// The lattice, its join and its transfer function are in pending_state.h. A row of each pipe holds what that pipe does
// not know to be complete; a row of each flag what its waiter will not know. Waits, which are pending as well, are left
// out here:
//
//   1  TLOAD(a, g)             V {1}       MTE3 {1}       flag -     everybody's: nobody knows it complete
//   2  set_flag(MTE2, V, 0)    V {1}       MTE3 {1}       flag {}    MTE2's row without MTE2's own work
//   3  TADDS(c, d, 1)          V {1, 3}    MTE3 {1, 3}    flag {3}   it starts behind the set
//   4  wait_flag(MTE2, V, 0)   V {3}       MTE3 {1, 3}    flag -     V's row and the flag's: only the waiter knows
//   5  TADDS(b, a, 1)          V {3, 5}    MTE3 {1, 3, 5} flag -     reads a: 1 is not in V's row, so it is ordered
//   6  pipe_barrier(V)         V {}        MTE3 {1, 3, 5} flag -     V's own work is over for V
//
// Round a loop an instance ages: `1` becomes `1, one iteration ago`. Sound: rows are over-approximations, so a pair
// outside them is ordered on every path.
//
// A trial runs the edited kernel beside the stored fixpoint from where the edits stand, until the two agree again, and
// carries the difference only. Without 2 and 4:
//
//   at 4   V: the edited kernel has 1, the stored one has not     difference {V: 1}
//   at 5   1 is in the difference of V's row and meets 5 on a     refused, witness RAW 1 -> 5
//
// Without 6 instead:
//
//   at 6   3 and 5 would have left V's row                        difference {V: 3, 5}
//   behind it nothing on V meets them, and the barrier of the kernel's end empties both rows: allowed
//
// Long steps keep states inside, so that a trial starts near its edit. The stored fixpoint changes only when the edit
// is committed. Edits may only weaken: take syncs out, set a flag earlier, wait for it later; what such an edit leaves
// running is more, never less. A set of a flag that meets a pending wait of it could come too early (recycling).
// Tested by tests/ordering/pending_test.cpp.
#pragma once

#include "ordering/hazard.h"
#include "ordering/pending_state.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace ptosync {

/// An obligation that the analysis does not see kept on every path. An open conflict is a finding. Of the other kinds
/// emitted kernels have some: a set that does not wait for the last wait of its flag, which in truth is quick enough,
/// an order relative to a fence on some paths only. They are no findings, but what keeps one on some path must stay.
struct OpenObligation : Obligation {
  StepId end = kNone; // of the kernel's end: the step that returns
};

/// An event that ends the pendency of an instance for a pipe.
struct Completion {
  std::uint32_t bit;
  StepId step;
  std::uint32_t event;
};

class Pending {
public:
  /// `layout`: syncs that are out from the start; nothing of it may stand elsewhere.
  explicit Pending(const Program &program, SyncLayout layout = {});

  const HazardModel &hazards() const { return model; }
  /// Returns every obligation that is open, of each kind, by instance.
  const std::vector<OpenObligation> &open() const { return openList; }
  /// Returns what may still run at each end of the kernel: of what no sync follows too, whose time no edit changes.
  std::vector<OpenObligation> runningAtEnds() const;
  /// Returns those of one kind, for readers who report it. Whoever decides whether an order may go asks for all of
  /// them.
  std::vector<OpenObligation> open(ObligationKind kind) const;
  /// Returns true if whatever needs an order is seen to have it on every path: no flag is faulty, and nothing is open
  /// but what is about syncs that committed edits have removed.
  bool seenWhole() const;
  /// Returns true if the pair is about a wait or a set of the file, and holds only as long as that is there.
  bool isAboutFlag(const ConflictPair &pair) const;
  /// Returns true if a committed edit has removed that wait or set.
  bool isMoot(const ConflictPair &pair) const;
  /// Returns true if there are more open conflicts than `kMostOpenConflicts`. The rest is not listed then, and nothing
  /// may be concluded from one being absent.
  bool tooManyOpen() const { return openConflicts >= kMostOpenConflicts; }
  static constexpr std::size_t kMostOpenConflicts = 10000;
  const std::vector<TokenEvent> &tokenFaults() const { return inputFaults; }
  const SyncLayout &layout() const { return currentLayout; }
  /// Returns the sites that committed edits have removed, in that order.
  const std::vector<SiteId> &removedSoFar() const { return removals; }
  /// From now on edits are held against the kernel without `absent`, which has these orders relative to fences and
  /// these flags set again open: a trial may open them, and what `losesOrder` asks for is the order that they have
  /// there.
  void holdAgainst(const std::set<SiteId> &absent, std::vector<ConflictPair> open);
  const std::vector<ConflictPair> &mayOpen() const { return openThere; }
  /// Returns the first of the pairs, open ones, that may lose an order on some path by the last allowed trial.
  std::optional<ConflictPair> losesOrder(const std::vector<ConflictPair> &pairs) const;
  bool reached(StepId step) const { return entry[step].reached(); }
  /// Returns true if a statement of the sync stands where no run is seen to come, in the kernel or in one of its calls.
  /// What the sync orders there was not looked at.
  bool hasUnreached(SiteId site) const { return unreachedSites.count(site) != 0; }
  /// Returns a sync that sets or waits for the flag where no run is seen to come, or kNone.
  SiteId unreachedUse(std::uint32_t flag) const;
  const TokenStates &tokens() const { return *tokenStates; }
  /// Returns the site of a flag's node, and kNone for all others.
  SiteId siteOf(NodeId node) const { return siteOfNode[node]; }
  /// Returns where the events of a site stand in Program::steps.
  const std::vector<EventKey> &eventsOf(SiteId site) const;

  struct Trial {
    bool allowed = false;
    std::optional<ConflictPair> witness; // not allowed: what would be unordered
    bool fence = false;                  // the witness is an order relative to an opaque fence
    bool atEnd = false;                  // it would be open at the kernel's end
    std::optional<TokenEvent> token;     // not allowed: a flag would not be binary here
    std::optional<BufferFault> bracket;  // not allowed: a bracket of a buffer id would be amiss
    bool startsEarlier = false;          // allowed: some instruction may start while more is running
  };
  /// Tries `edit` on top of the edits committed before.
  Trial tryEdit(const SyncEdit &edit);
  Trial tryRemoval(const std::set<SiteId> &sites) { return tryEdit({sites, {}}); }
  /// Returns how many words of pending sets, and events, trials have gone through so far: what they cost, the same on
  /// every machine.
  std::uint64_t worked() const { return work; }
  /// Makes the last allowed trial permanent.
  void commit();
  /// Forgets the last trial.
  void abandon() { attempt.reset(); }

  /// For each event of a sync, the instances by row that it makes its waiter know to be complete or, for a barrier,
  /// ends.
  using Faced = std::map<EventKey, std::map<std::size_t, BitSet>>;
  Faced facedBy(SiteId site) const;

  /// Follows what a sync faced, from where it stood, and reports each conflict that a machine rule
  /// orders and each event that completes one. It does not go beyond the nearest `mostSteps` steps; returns false if
  /// there are more.
  struct Follow {
    std::function<void(const ConflictPair &)> ruled;
    std::function<void(Pipe, const Completion &)> completed;
  };
  bool follow(const Faced &faced, const Follow &callbacks, std::size_t mostSteps) const;

  /// Returns the instances of a row in front of an event, as last stored; only for sync events.
  const BitSet *rowBefore(StepId step, std::uint32_t event, std::size_t row) const;
  /// Returns the row of `pipe` behind a sync event.
  BitSet rowAfter(StepId step, std::uint32_t event, Pipe pipe) const;

private:
  /// What is kept of a sync event, before it. Few rows matter to it.
  struct Stored {
    llvm::SmallVector<std::pair<std::size_t, BitSet>, 2> rows; // none: nothing was stored
    llvm::SmallVector<Token, 1> tokens;                        // of the event's lanes

    const BitSet *row(std::size_t number) const {
      auto found = llvm::find_if(rows, [&](const auto &kept) { return kept.first == number; });
      return found == rows.end() ? nullptr : &found->second;
    }
  };
  using Difference = std::map<std::size_t, BitSet>; // by row: what only the edited kernel has

  void solve();
  void leaveUnsolved();
  PendingState enter(StepId step) const;
  std::uint32_t strideOf(StepId step) const;
  void keepInner(const PendingState &state, EventKey place);
  std::pair<std::uint32_t, const PendingState *> innerBefore(EventKey place) const;
  void storeEvent(const PendingState &state, EventKey key);
  void storeStep(StepId step);
  void findOpen(StepId step, const BitSet &followed);
  void findOpenAt(const Event &event, const PendingState &state);
  BitSet runningAt(const PendingState &state) const;
  void findOpenAtEnd(const PendingState &state, StepId step, const BitSet &followed);
  BitSet followedBySyncs() const;
  void findUnreached();
  std::vector<bool> stepsBehind(const Faced &faced, std::size_t most) const;
  void followEvent(Pipe pipe, EventKey key, const Event &event, BitSet &tracked, const Follow &callbacks) const;

  // Trials.
  class Twin;
  struct Attempt {
    SyncEdit edit;
    SyncLayout layout;
    std::shared_ptr<TokenStates> tokens;
    struct Places {
      std::uint32_t first = kNone, last = 0;
    };
    std::map<StepId, Places> edited;    // steps that the edit touches
    bool drainsAll = false;             // may change what still runs when the kernel ends
    std::map<StepId, Difference> entry; // of every step that was run
  };
  bool begin(const SyncEdit &edit, Trial &trial);
  bool mayOpen(std::uint32_t bit, NodeId later) const {
    return !openNodesThere.empty() && openNodesThere.count({program.nodeOfBit[bit], later}) != 0;
  }
  std::set<std::uint32_t> lanesOf(const SyncEdit &edit) const;
  bool bracketsStaySound(Trial &trial) const;
  bool tokensStayBalanced(const std::set<std::uint32_t> &lanes, Trial &trial) const;
  std::optional<ConflictPair> movedReuse() const;
  bool runStep(StepId step, Difference &difference, Trial &trial);
  bool propagate(const Edge &edge, const Difference &difference);

  const Program &program;
  HazardModel model;
  Obligations obligations;
  SyncLayout currentLayout;
  std::vector<SiteId> removals; // by committed edits
  std::shared_ptr<TokenStates> tokenStates;
  std::vector<PendingState> entry;              // per step
  std::vector<std::vector<PendingState>> inner; // by step; inside a long step, one each stride: where trials may start
  std::vector<std::vector<Stored>> stored;      // by step and position
  std::vector<OpenObligation> openList;
  std::set<std::tuple<std::uint32_t, NodeId, ObligationKind>> openSeen; // instance, later node
  std::size_t openConflicts = 0;
  mutable std::uint64_t work = 0;
  std::set<SiteId> unreachedSites;
  std::map<std::uint32_t, SiteId> unreachedUses; // by flag
  std::optional<SyncLayout> layoutThere;         // of the kernel that edits are held against
  std::vector<ConflictPair> openThere;
  std::set<std::pair<NodeId, NodeId>> openNodesThere;
  std::vector<TokenEvent> inputFaults;
  std::vector<std::vector<EventKey>> siteEvents; // by site, as far as needed
  std::vector<SiteId> siteOfNode;                // of flags; kNone: not a sync of the file
  std::vector<std::uint32_t> position;           // in the order of the program, by step; kNone: not in it
  std::optional<Attempt> attempt;                // the trial under way
};

} // namespace ptosync
