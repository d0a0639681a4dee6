// The pending sets: what may still be running when a pipe starts its next instruction.
//
//   Program --dataflow to the fixpoint--> per block and sync: rows of pending instances
//
// State: for every pipe Q the set of instances (of all pipes) that may not have completed when Q
// starts something, and for every flag that may be set the set its waiter will not know to be
// complete. Access adds its instance to every row, a barrier empties its own pipe's part, a set
// copies its pipe's row without that pipe, a wait intersects with the copy, a back edge ages
// instances by one iteration, a join is a union. A flag that is set on one path only is "maybe
// set": its wait covers nothing.
// A wait is pending too, for the pipes that do not know it consumed its flag: a set of the same flag
// that meets it could come too early (recycling).
// Sound: rows are over-approximations; a pair outside them is ordered on every path.
//
// `tryRemoval` re-runs the analysis without some syncs from where they stand, carrying only what
// is new, until nothing new is left; it reports the first conflict that is then unordered. The
// stored fixpoint changes only when the removal is committed.
// Tested by tests/ordering/pending_test.cpp.
#pragma once

#include "ordering/hazard.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace ptosync {

enum class Token : std::uint8_t { Empty, Full, Maybe };

/// A conflict that the analysis does not see ordered.
struct OpenConflict {
  ConflictPair pair;
  Excuse silenced = Excuse::None; // Silenced: by a contested rule
  std::string rule;
};

/// A wait or set that meets its flag in the wrong state, or a flag left set where the kernel ends.
struct TokenEvent {
  StepId step;
  std::uint32_t event; // kNone: the kernel's end
  std::uint32_t flag;
  Token state;         // found there
};

/// An event that ends the pendency of an instance for a pipe.
struct Completion {
  std::uint32_t bit;
  StepId step;
  std::uint32_t event;
};

class Pending {
public:
  explicit Pending(const Program &program);

  const HazardModel &hazards() const { return model; }
  const std::vector<OpenConflict> &open() const { return openConflicts; }
  /// Sets that are not seen to come after the wait for the flag's last setting. Emitted kernels
  /// have them (in truth the waiter is quick enough), so they are no finding; but whatever may
  /// order such a pair must stay.
  const std::vector<ConflictPair> &openReuses() const { return reuses; }
  /// Orders relative to opaque fences that do not hold on every path. No finding either, but a sync
  /// that makes one hold on some path must stay.
  const std::vector<ConflictPair> &openFenceOrders() const { return fenceOrders; }
  /// Instances that may still be running where the kernel ends, by the step that ends it.
  const std::vector<std::pair<StepId, std::uint32_t>> &openAtEnd() const { return atEnd; }
  /// More open conflicts than `kMostOpenConflicts`: the rest is not listed, and nothing may be
  /// concluded from one being absent.
  bool tooManyOpen() const { return openOverflow; }
  static constexpr std::size_t kMostOpenConflicts = 10000;
  const std::vector<TokenEvent> &tokenFaults() const { return faults; }

  struct Trial {
    bool allowed = false;
    std::optional<ConflictPair> witness; // not allowed: what would be unordered
    bool fence = false;                  // the witness is an order relative to an opaque fence
    bool atEnd = false;                  // it would be open at the kernel's end
  };
  /// Without the barriers of `sites`, and of those removed before.
  Trial tryRemoval(const std::set<SiteId> &sites);
  /// Makes the last allowed trial permanent.
  void commit();
  /// Forgets the last trial.
  void abandon() { trialSites.clear(); }

  /// What a removed or present barrier faces: instances of its pipe(s) that are pending in front
  /// of it for that pipe, by row. Follows them and reports each conflict that a machine rule
  /// orders and each event that completes one.
  struct Follow {
    std::function<void(const ConflictPair &)> ruled;
    std::function<void(Pipe, const Completion &)> completed;
  };
  void follow(SiteId site, const Follow &callbacks) const;

  /// Instances pending for `pipe` in front of an event, as last stored; only for sync events.
  const BitSet *rowBefore(StepId step, std::uint32_t event, std::size_t row) const;
  /// The row of `pipe` behind a sync event.
  BitSet rowAfter(StepId step, std::uint32_t event, Pipe pipe) const;
  /// The bit of the same instance after going round `loop` (kNone: unchanged).
  std::uint32_t agedBit(std::uint32_t bit, LoopId loop) const;

private:
  using Rows = std::vector<BitSet>; // kPipeCount pipe rows, then one per flag
  struct State {
    Rows rows;
    std::vector<Token> tokens;
    bool reached = false;
  };
  struct Stored {
    std::map<std::size_t, BitSet> rows; // before the event
    std::vector<Token> tokens;          // of the event's lanes
  };
  using Key = std::pair<StepId, std::uint32_t>;

  void solve();
  void transfer(State &state, StepId step, bool record);
  void applyEvent(State &state, const Event &event) const;
  void recordEvent(const State &state, StepId step, std::uint32_t index);
  bool joinInto(State &target, const State &source, const Edge &edge) const;
  void age(BitSet &row, LoopId loop) const;
  void checkConflicts(const State &state, NodeId node);
  void checkFences(const State &state, NodeId node);
  bool isRemoved(const Event &event) const;

  // Trials.
  struct Difference {
    std::map<std::size_t, BitSet> rows;
    bool empty() const;
  };
  bool runBlock(StepId step, Difference &difference, Trial &trial);
  bool checkNode(const Difference &difference, NodeId node, Trial &trial);
  bool checkReuse(const Difference &difference, const Event &event, Trial &trial) const;
  void differSync(Difference &difference, StepId step, std::uint32_t index);
  void note(StepId step, std::uint32_t index, const Difference &difference);
  void seed(Difference &difference, StepId step, std::uint32_t index) const;

  const Program &program;
  HazardModel model;
  std::vector<State> entry;                // per step
  std::map<Key, Stored> stored;            // per sync event
  std::vector<OpenConflict> openConflicts;
  std::vector<ConflictPair> reuses, fenceOrders;
  std::vector<std::pair<StepId, std::uint32_t>> atEnd;
  std::set<std::pair<std::uint32_t, NodeId>> openSeen;
  bool openOverflow = false;
  std::set<std::pair<NodeId, NodeId>> fenceSeen;
  std::vector<TokenEvent> faults;
  std::map<SiteId, std::vector<Key>> siteEvents;
  std::set<SiteId> removedSites;
  // The trial under way.
  std::set<SiteId> trialSites;
  bool trialDrainsAll = false;
  std::map<StepId, Difference> trialEntry;
  std::map<Key, Difference> trialNotes;
};

} // namespace ptosync
