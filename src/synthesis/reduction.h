// Takes out the syncs that the others make superfluous, in an order that keeps the estimated time low, within a limit
// of work.
#pragma once

#include "base/allowance.h"
#include "optimize/edit_session.h"
#include "synthesis/proposed_kernel.h"
#include "timing/estimate.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ptosync::synthesis {

// How much may still be looked at in a search.
//
// Work is counted in words of pending sets and in operations of timed runs, which are the same on every machine: the
// same input comes to the same end. What the user allows comes on top (base/allowance.h); where that ends a search, the
// result depends on the machine. Whoever runs out keeps the best that was verified. Tested by
// tests/synthesis/reduction_test.cpp.

class WorkLimit {
public:
  explicit WorkLimit(std::uint64_t units, Allowance allowance = {}) : left(units), allowance(std::move(allowance)) {}

  /// Returns true if nothing more may be begun.
  bool exhausted() const { return left == 0 || late(); }
  void spend(std::uint64_t units) {
    left -= std::min(left, units);
    spentSoFar += units;
  }
  std::uint64_t spent() const { return spentSoFar; }
  /// Returns what each of several searches may spend that run beside each other; whoever shares spends what they did.
  WorkLimit share(std::size_t parts) const { return WorkLimit(left / std::max<std::size_t>(parts, 1), allowance); }
  /// Returns true if a search has to end that has come to cost so much and has not spent it yet.
  bool exceededBy(std::uint64_t units) const { return units >= left || late(); }

private:
  bool late() const { return allowance.over(); }

  std::uint64_t left, spentSoFar = 0;
  Allowance allowance;
};

// From everything that was proposed, and what the kernel had, to what is needed: reverse deletion, the dearest first.
//
//   ProposedKernel --each sync or flag alone, timed--> order --trial removals--> sites that stay
//
// An order that is not seen on every path is kept on each path where the input has it: what goes is asked for it like
// any edit of `opt`, and so is what was proposed, which such an order may have come to rest on (optimize/pins.h).
// A flag that stays only because another one could then be set again too early goes together with that one.
// Flags that are one for several (proposed_kernel.h) are left out of all that, and tried on a choice that is right:
// those that cost no time are put in, and what they take the place of goes. So are flags of shapes that have few
// statements (set where they are waited for; waited for in each arm), if others were preferred to them. A flag of the
// input that only some trips of a loop use may be what orders the flags that are not seen to be set again in time, in
// ways that no path shows. Such ones go where all those go as well (tried first, then), and else none. A removal is
// allowed by the same trials that decide what `opt` removes, in a kernel that begins with all the order that the input
// has. What a flag costs is the time of the kernel with its data in order and that flag alone. Beside others it may
// cost more, since what they hold back waits in front of it; so what was chosen is looked at once more (`faster`).
// Tested by
// tests/synthesis/reduction_test.cpp.

struct Reduction {
  std::set<SiteId> removed;                 // of the proposed kernel's module
  double cycles = 0;                        // estimated, without them
  std::size_t statements = 0;               // syncs that stay
  std::size_t added = 0;                    // of those, proposed
  std::vector<std::size_t> proposals;       // of those, in their order
  std::vector<std::int64_t> ids;            // theirs; barriers: -1
  std::set<std::pair<Pipe, Pipe>> shortage; // pipes between which there are too few; then `ids` is empty
  std::vector<std::size_t> lacking;         // the proposals that have none then
};

/// `timing` is a run of the proposed kernel; `catalogue` only names.
class Reducer {
public:
  Reducer(const ProposedKernel &proposed, const Machine &machine, const Catalogue &catalogue,
          const OptimizeOptions &options, const timing::KernelTiming &timing,
          const std::set<std::int64_t> &reservedIds);

  /// Finds out what each sync and flag costs, which tells what is tried first; without it all cost the same.
  void timeEach(WorkLimit &limit);

  /// What is left over when `limit` is exhausted stays: right, and more than is needed.
  Reduction reduce(const Variation &variation, WorkLimit &limit) const;

  /// What is left where these sites go, as many as can, and behind them whatever else can. Empty: among what goes is a
  /// flag that only some trips of a loop use, and something else may rest on it.
  std::optional<Reduction> without(const std::set<SiteId> &sites, WorkLimit &limit) const;

  /// From a choice that is right, `removed` being what it leaves out, those with flags of fewer statements in place of
  /// others, as far as they are estimated to take at most `cycles`: merged ones (proposed_kernel.h) alone, with those
  /// that are set where they are waited for, and with those that are waited for in each arm of a branch. No two are
  /// made of the same flags. Empty: none of them is that cheap.
  std::vector<Reduction> merges(const std::set<SiteId> &removed, double cycles, WorkLimit &limit) const;

  /// From a choice that is right, `removed` being what it leaves out, one that takes less by more than `share` of
  /// `cycles`: each sync that costs so much is given up for what can do its work cheaper, the dearest first. Empty:
  /// none was found.
  std::optional<Reduction> faster(const std::set<SiteId> &removed, double cycles, double share, WorkLimit &limit) const;

private:
  /// What is tried in place of others: each beside what stands above it.
  enum class Merging : std::uint8_t { Merged, InPlace, Fans };
  struct Item {
    std::set<SiteId> sites;
    std::optional<Web> web;
    bool proposed = false;
    std::pair<Pipe, Pipe> pipes;
    std::uint32_t handshake = kNone;
    std::uint32_t slots = 1, merges = 1;
    double cost = 0;           // cycles of the kernel that has no other sync
    std::uint32_t width = 0;   // statements of the text from its first one to its last
    std::uint32_t nesting = 0; // lists around its innermost statement
    bool intermittent = false; // the input's, and what the input leaves open may rest on it
    bool inPlace = false;      // proposed, set where it is waited for
    bool fan = false;          // proposed, waited for in each arm of a branch
    bool reused = false;       // not seen to be set again in time by the input
  };
  EditSession newSession() const;
  std::vector<Item> itemsOf(EditSession &session) const;
  std::vector<Item> ordered(const Variation &variation) const;
  struct PutIn {
    const Item *item;
    double together = 0;  // cycles of the kernel with it, handing syncs out counted as asked
    double handedOut = 0; // counted in any case
  };
  std::vector<bool> ignoring(const std::set<SiteId> &removed) const;
  static std::vector<bool> including(std::vector<bool> ignored, const Item &item);
  static bool isTried(const Item &item, Merging with);
  std::vector<PutIn> putIn(const std::set<SiteId> &removed, bool freeSyncs,
                           const std::set<std::pair<Pipe, Pipe>> &withheld) const;
  std::vector<const Item *> mergedWithin(std::vector<PutIn> found, const std::set<SiteId> &removed, double cycles,
                                         Merging with, bool freeSyncs) const;
  std::optional<Reduction> mergeFrom(std::vector<const Item *> chosen, const std::set<SiteId> &removed, double cycles,
                                     Merging with, WorkLimit &limit) const;
  std::optional<Reduction> insteadOf(const Item &given, const std::set<SiteId> &removed, double cycles,
                                     WorkLimit &limit) const;
  std::optional<Reduction> mergeOf(const std::vector<const Item *> &chosen, const std::set<SiteId> &removed,
                                   WorkLimit &limit) const;
  Reduction reduced(std::vector<Item> open, std::vector<Item> out, WorkLimit &limit) const;
  bool keepsWhatMayRest(const std::set<SiteId> &removed) const;
  void leaveOut(EditSession &session, std::vector<Item> &open, std::vector<Item> out, std::set<SiteId> &removed) const;
  double cyclesWithout(const std::vector<bool> &ignored, bool freeSyncs = false) const;

  const ProposedKernel &proposed;
  const Machine &machine;
  const Catalogue &catalogue;
  const OptimizeOptions &options;
  const timing::KernelTiming &timing;
  enum class Trial : std::uint8_t {
    Removed,
    Refused, // for good: what is removed later only takes order away
    Later,   // something that goes later may have been the reason
  };
  std::optional<EditSession::Refusal> removeTogether(EditSession &session, const std::vector<const Item *> &some,
                                                     std::set<SiteId> &removed) const;
  std::vector<Item> removeInOrder(EditSession &session, const std::vector<Item> &open, std::set<SiteId> &removed,
                                  const WorkLimit &limit) const;
  static std::vector<const Item *> withPartners(const std::vector<Item> &all, std::size_t at, std::size_t end,
                                                const std::set<SiteId> &removed);
  Trial remove(EditSession &session, const std::vector<Item> &all, std::size_t at, std::set<SiteId> &removed) const;
  void choose(const EditSession &session, Reduction &result) const;

  const std::set<std::int64_t> &reservedIds;
  std::optional<Reference> reference; // the kernel as it came; empty: it could not be analysed
  std::vector<Item> items;            // all that may go
};

} // namespace ptosync::synthesis
