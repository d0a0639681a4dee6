// The pending sets: what may still be running when a pipe starts its next instruction.
//
//   Program --dataflow to the fixpoint--> per block and sync: rows of pending instances
//
// The lattice, its join and its transfer function: pending_state.h.
// A wait is pending too, for the pipes that do not know it consumed its flag: a set of the same flag
// that meets it could come too early (recycling).
// Sound: rows are over-approximations; a pair outside them is ordered on every path.
//
// `tryEdit` runs the edited kernel beside the stored fixpoint from where the edits stand, until the
// two agree again; it reports the first conflict that only the edited kernel leaves unordered. Long steps
// keep states inside, so that a trial starts near its edit. The stored fixpoint changes only when the
// edit is committed. Edits may only weaken: take syncs out, set a flag earlier, wait for it later; what
// such an edit leaves running is more, never less.
// Tested by tests/ordering/pending_test.cpp, trial_test.cpp and faced_test.cpp.
#pragma once

#include "ordering/obligations.h"
#include "ordering/pending_state.h"

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
  /// Every obligation that is open, of each kind, by instance.
  const std::vector<OpenObligation> &open() const { return openList; }
  /// Those of one kind, for readers who report it. Whoever decides whether an order may go asks for all of them.
  std::vector<OpenObligation> open(ObligationKind kind) const;
  /// True if nothing is open but what is about syncs that are out by now, and no flag is faulty: whatever needs an
  /// order is seen to have it on every path.
  bool seenWhole() const;
  /// True if the pair is about a wait or a set of the file, and holds only as long as that is there.
  bool isAboutFlag(const ConflictPair &pair) const;
  /// True if that is out by now.
  bool isMoot(const ConflictPair &pair) const;
  /// More open conflicts than `kMostOpenConflicts`: the rest is not listed, and nothing may be
  /// concluded from one being absent.
  bool tooManyOpen() const { return openConflicts >= kMostOpenConflicts; }
  static constexpr std::size_t kMostOpenConflicts = 10000;
  const std::vector<TokenEvent> &tokenFaults() const { return inputFaults; }
  const SyncLayout &layout() const { return currentLayout; }
  /// From now on edits are held against the kernel without `absent`, which has these orders relative to fences and
  /// these flags set again open: a trial may open them, and what `losesOrder` asks for is the order that they have
  /// there.
  void holdAgainst(const std::set<SiteId> &absent, std::vector<ConflictPair> open);
  const std::vector<ConflictPair> &mayOpen() const { return openThere; }
  /// The first of the pairs, open ones, that may lose an order on some path by the last allowed trial.
  std::optional<ConflictPair> losesOrder(const std::vector<ConflictPair> &pairs) const;
  bool reached(StepId step) const { return entry[step].reached(); }
  /// True if a statement of the sync stands where no run is seen to come, in the kernel or in one of its calls. What
  /// the sync orders there was not looked at.
  bool hasUnreached(SiteId site) const { return unreachedSites.count(site) != 0; }
  /// A sync that sets or waits for the flag where no run is seen to come; kNone: there is none.
  SiteId unreachedUse(std::uint32_t flag) const;
  const TokenStates &tokens() const { return *tokenStates; }
  /// The site of a flag's node; kNone of all others.
  SiteId siteOf(NodeId node) const { return siteOfNode[node]; }
  /// Where the events of a site stand in Program::steps.
  const std::vector<EventKey> &eventsOf(SiteId site) const;

  struct Trial {
    bool allowed = false;
    std::optional<ConflictPair> witness; // not allowed: what would be unordered
    bool fence = false;                  // the witness is an order relative to an opaque fence
    bool atEnd = false;                  // it would be open at the kernel's end
    std::optional<TokenEvent> token;     // not allowed: a flag would not be binary here
    bool startsEarlier = false;          // allowed: some instruction may start while more is running
  };
  /// With `edit` on top of the edits committed before.
  Trial tryEdit(const SyncEdit &edit);
  Trial tryRemoval(const std::set<SiteId> &sites) { return tryEdit({sites, {}}); }
  /// Words of pending sets, and events, that trials have gone through so far: what they cost, the same on every machine.
  std::uint64_t worked() const { return work; }
  /// Makes the last allowed trial permanent.
  void commit();
  /// Forgets the last trial.
  void abandon() { attempt.reset(); }

  /// What a sync faces: for each of its events, the instances by row that it makes its waiter know
  /// to be complete, or, for a barrier, ends.
  using Faced = std::map<EventKey, std::map<std::size_t, BitSet>>;
  Faced facedBy(SiteId site) const;

  /// Follows what a sync faced, from where it stood, and reports each conflict that a machine rule
  /// orders and each event that completes one.
  struct Follow {
    std::function<void(const ConflictPair &)> ruled;
    std::function<void(Pipe, const Completion &)> completed;
  };
  void follow(const Faced &faced, const Follow &callbacks) const;

  /// Instances pending for `pipe` in front of an event, as last stored; only for sync events.
  const BitSet *rowBefore(StepId step, std::uint32_t event, std::size_t row) const;
  /// The row of `pipe` behind a sync event.
  BitSet rowAfter(StepId step, std::uint32_t event, Pipe pipe) const;

private:
  struct Stored {
    std::map<std::size_t, BitSet> rows; // before the event
    std::vector<Token> tokens;          // of the event's lanes
  };
  using Difference = std::map<std::size_t, BitSet>; // by row: what only the edited kernel has

  void solve();
  PendingState enter(StepId step) const;
  std::uint32_t strideOf(StepId step) const;
  void keepInner(const PendingState &state, EventKey place);
  std::pair<std::uint32_t, const PendingState *> innerBefore(EventKey place) const;
  void storeEvent(const PendingState &state, EventKey key);
  void storeStep(StepId step);
  void findOpen(StepId step, const BitSet &followed);
  void findOpenAt(const Event &event, const PendingState &state);
  void findOpenAtEnd(const PendingState &state, StepId step, const BitSet &followed);
  BitSet followedBySyncs() const;
  void findUnreached();
  void followEvent(Pipe pipe, EventKey key, const Event &event, BitSet &tracked, const Follow &callbacks) const;

  // Trials (trial.cpp); what a sync faces: faced.cpp.
  class Twin;
  struct Attempt {
    SyncEdit edit;
    SyncLayout layout;
    std::shared_ptr<const TokenStates> tokens;
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
  bool tokensStayBalanced(const std::set<std::uint32_t> &lanes, Trial &trial) const;
  std::optional<ConflictPair> movedReuse() const;
  bool runStep(StepId step, Difference &difference, Trial &trial);
  bool propagate(const Edge &edge, const Difference &difference);

  const Program &program;
  HazardModel model;
  Obligations obligations;
  SyncLayout currentLayout;
  std::shared_ptr<const TokenStates> tokenStates;
  std::vector<PendingState> entry;                   // per step
  std::map<StepId, std::vector<PendingState>> inner; // inside a long step, one each stride: where trials may start
  std::map<EventKey, Stored> stored;                 // per sync event
  std::vector<OpenObligation> openList;
  std::set<std::tuple<std::uint32_t, NodeId, ObligationKind>> openSeen; // instance, later node
  std::size_t openConflicts = 0;
  mutable std::uint64_t work = 0;
  std::set<SiteId> unreachedSites;
  std::map<std::uint32_t, SiteId> unreachedUses; // by flag
  std::optional<SyncLayout> layoutThere; // of the kernel that edits are held against
  std::vector<ConflictPair> openThere;
  std::set<std::pair<NodeId, NodeId>> openNodesThere;
  std::vector<TokenEvent> inputFaults;
  std::map<SiteId, std::vector<EventKey>> siteEvents;
  std::vector<SiteId> siteOfNode;           // of flags; kNone: not a sync of the file
  std::map<StepId, std::uint32_t> position; // in the order of the program
  std::optional<Attempt> attempt;           // the trial under way
};

} // namespace ptosync
