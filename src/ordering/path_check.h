// Whether an edit takes an order away from a pair that is not ordered on every path anyway.
//
// Pending joins paths, so for a pair that it cannot see ordered (an impossible path, an unknown address, a dynamic
// lane) it cannot see a loss either: a trial adds nothing to what is open. Here the syncs between the two are followed
// path by path, for the kernel as it stands and as the edit leaves it at once: from the earlier instruction on, which
// pipes and flags do not know it complete.
//
//   1  TLOAD(a, g)                      before: all rows        after: all rows
//      if (n > 3) {
//   2    set_flag(MTE2, V, 0)           flag knows              (the edit takes 2 and 3 out)
//   3    wait_flag(MTE2, V, 0)          V knows                 V does not know
//      }
//   4  TADDS(c, a, 1)                   two ways arrive: V knows | V does not know: lost
//                                       past the branch: neither knows: the pair is open there anyway, nothing lost
//
// The pair loses an order if some path reaches the later one with the order in the first kernel and without it in the
// second; here it does, by the way through the branch, and the edit is refused.
// Exact per path for flags that are binary and named. Where it cannot tell, the kernel as it stands gets the benefit of
// the doubt and the edited one does not: an undecided event id covers whatever it may in the one and nothing in the
// other. Contested effects that both kernels share (a wait of the scalar unit may hold back every pipe, flags inside
// library calls may order) are tried both ways.
// Pairs with the same earlier instruction are one question. Of distances in iterations only "the same iteration" is
// told apart, and for that the back edges of the loops around both are not taken; for all others paths go round loops
// for as long as they bring new ways: too many paths, never too few. The kernel's end is a later instruction of every
// pipe. More ways at one place, more events in all or more earlier instructions than the limits say count as a loss.
// Tested by tests/ordering/path_check_test.cpp.
#pragma once

#include "ordering/pending.h"

namespace ptosync {

class PathCheck {
public:
  struct Limits {
    std::size_t ways = 512;
    std::size_t events = 500000; // looked at by one `firstLoss`
    std::size_t starts = 1024;   // earlier instructions
  };
  /// Says whether a flag that is not binary on every path may order something in the kernel as it stands.
  enum class FaultyFlags : std::uint8_t { MayOrder, OrderNothing };

  /// From `before` to `after`; `faults` are of flags that are not binary on every path.
  PathCheck(const Program &program, const HazardModel &model, const SyncLayout &before, const SyncLayout &after,
            const std::vector<TokenEvent> &faults, FaultyFlags faultyFlags = FaultyFlags::MayOrder);
  void setLimits(const Limits &given) { limits = given; }
  /// Returns how many events the last `firstLoss` looked at.
  std::size_t eventsLookedAt() const { return eventsRun; }

  /// Returns the first of the pairs that may lose an order; nothing if none does.
  std::optional<ConflictPair> firstLoss(const std::vector<ConflictPair> &pairs) const;

private:
  /// Rows (Program::rowCount) that do not know the earlier instruction complete.
  struct Ways {
    BitSet before, after;
    auto operator<=>(const Ways &) const = default;
  };
  struct Question {
    NodeId earlier;
    std::vector<ConflictPair> pairs;
    BitSet asked;                                    // the rows of pipes that the pairs ask about
    LoopId within = kNone;                           // back edges of this loop and those around it are not taken
    bool stays = false;                              // likewise: the pair is of one iteration
    bool scalarHolds = false, libraryOrders = false; // the contested effects
  };
  std::optional<ConflictPair> ask(const Question &question) const;
  std::vector<StepId> stepsOf(BlockId block) const;
  std::optional<ConflictPair> runStep(const Question &question, StepId step, std::uint32_t first, Ways &ways) const;
  void apply(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const;
  void applyBuffer(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const;
  void applyFlag(const Question &question, const Event &event, bool optimistic, BitSet &unknown) const;
  std::optional<ConflictPair> lossAt(const Question &question, const Event &event, bool wasHere,
                                     const Ways &ways) const;
  void addAsked(Question &question, const ConflictPair &pair) const;
  bool isOut(NodeId node, const SyncLayout &layout) const;
  std::optional<ConflictPair> lossAtEnd(const Question &question, StepId step, const Ways &ways) const;

  const Program &program;
  const HazardModel &model;
  const SyncLayout &before, &after;
  std::set<std::uint32_t> faulty;
  bool faultyMayOrder;
  Limits limits;
  bool scalarWaits = false;
  mutable std::size_t eventsRun = 0;                     // by one `firstLoss`
  mutable std::map<BlockId, std::vector<StepId>> copies; // of blocks, once they are asked for
};

} // namespace ptosync
