// The edits of a group of kernels in the making: the analysis of each kernel, what was decided so far, and trials
// that must succeed in every kernel that runs through the edited statements.
//
//   Module --> one Program and Pending per kernel
//   edit   --tryEdit--> refused by a kernel, with its witness | allowed --commit--> decisions
//
// Every edit kind (remove_barrier, remove_web, ...) works on one of these.
// Tested through the tests of the edit kinds and tests/optimize/optimizer_test.cpp.
#pragma once

#include "optimize/kernel_groups.h"
#include "optimize/optimizer.h"
#include "optimize/pins.h"
#include "optimize/reference.h"
#include "optimize/statement_slots.h"
#include "ordering/pending.h"

#include <functional>
#include <memory>
#include <vector>

namespace ptosync {

struct AnalysedKernel {
  std::unique_ptr<Program> program; // null if the kernel was not analysed; the others refer to it
  std::unique_ptr<Pending> pending;
  std::unique_ptr<Pins> pins;
  std::unique_ptr<StatementSlots> slots;
};

class EditSession {
public:
  /// Of one group of kernels: the sites that none of them runs through are left undecided.
  /// `reference`: of the group's only kernel, what its edits are held against; null: what it is.
  EditSession(const Module &module, const KernelGroup &group, const Machine &machine, const Catalogue &catalogue,
              const OptimizeOptions &options, const Reference *reference = nullptr);

  struct Refusal {
    std::size_t kernel;
    Pending::Trial trial;
    std::optional<ConflictPair> unresolved; // an open pair that may lose an order
    SiteId unreached = kNone;               // a statement of an edited flag that no run is seen to reach
  };
  /// The open pairs of a kernel that an edit may concern; asked for only if nothing else refuses it.
  using OpenPairs = std::function<std::vector<ConflictPair>(std::size_t kernel)>;
  OpenPairs openPairsOf(SiteId barrier) const;
  OpenPairs openPairsOf(const Web &web) const;
  /// Of several edits that are one trial.
  static OpenPairs together(std::vector<OpenPairs> several);

  /// Empty if every kernel allows it and none of the open pairs loses an order on any path; commit or
  /// abandon it then.
  std::optional<Refusal> tryRemoval(const std::set<SiteId> &sites, const OpenPairs &open);
  std::optional<Refusal> tryEdit(const std::map<std::size_t, SyncEdit> &edits, const OpenPairs &open); // by kernel
  /// The set that would come too early, before the wait for an earlier setting of its flag: kNone if it is none of the
  /// text. Empty if the edit was refused for anything else.
  std::optional<SiteId> setTooEarly(const Refusal &refusal) const;
  /// What its trials have cost so far: Pending::worked and Pins::worked.
  std::uint64_t worked() const;
  /// True if the last trial, an allowed one, lets some instruction start earlier.
  bool startsEarlier() const { return gain; }
  void commit();
  void abandon();

  /// False if --max-removals leaves no edit.
  bool mayEdit() const { return !options.maxRemovals || edits < *options.maxRemovals; }
  /// The number of the edit now committed, from 1.
  std::uint32_t countEdit() { return static_cast<std::uint32_t>(++edits); }
  bool lineChosen(const SyncSite &site) const { return options.lines.empty() || options.lines.count(site.line); }

  /// A committed move, in the text: the site now stands, also, in front of the statement that begins at
  /// `offset`, behind what arrived there before; or in front of `other`, which did.
  void arrive(SiteId site, std::uint32_t offset, SiteId other);
  /// It does not any more.
  void leave(SiteId site, std::uint32_t offset);

  /// True if an order may rest unseen on a flag that only some trips of a loop use, of these statements: not if
  /// the kernels that run through them, as edits are held against them, are seen whole (pending.h), or have none of
  /// these.
  bool mayCarryUnseen(const std::set<SiteId> &sites) const;
  /// Settles what needs no proof (protection, kernels that were not analysed); true if the site may be
  /// edited as far as that goes.
  bool screen(SiteId site);
  void keep(SiteId site, KeptReason reason, std::string detail, std::optional<Conflict> witness = std::nullopt);
  void keepUnresolved(SiteId site, std::size_t kernel, const ConflictPair &pair);
  void keepRefused(SiteId site, const Refusal &refusal);
  /// True if the site was refused for the sake of another flag, or as a link in what may order an open
  /// pair, and something has gone since: that may not hold any more. Every other refusal holds for good,
  /// for edits only ever weaken.
  bool maySucceedLater(SiteId site) const;
  std::size_t editCount() const { return edits; }
  SiteDecision &decision(SiteId site) { return result.decisions[site]; }

  const Module &module;
  const Machine &machine;
  const Catalogue &catalogue;
  const OptimizeOptions &options;
  OptimizeResult result;
  std::vector<AnalysedKernel> kernels;          // like Module::kernels; empty but for those of the group
  std::vector<std::set<std::size_t>> kernelsOf; // by site
  std::vector<std::uint32_t> depth;             // by site: the deepest loop around it
  /// True if the caller sees to it that nothing rests on those that go.
  bool intermittentToo = false;
  /// The statements of each web that was looked at when whole webs were last tried.
  std::set<std::set<SiteId>> websTried;
  /// What the waits that are out made their pipe know, by site and kernel, as it was when they went.
  std::map<SiteId, std::map<std::size_t, Pending::Faced>> faced;

private:
  void analyse(std::size_t number);
  SiteId unreachedUse(std::size_t kernel, const SyncEdit &edit) const;
  void reportOpen(const Kernel &kernel, const AnalysedKernel &entry);
  void rankArrivals(std::uint32_t offset);
  bool werePutIn(const std::set<SiteId> &sites) const;
  bool seenWhole(const std::set<SiteId> &sites) const;
  void collectSites(const KernelGroup &group);

  std::map<SiteId, std::size_t> refusedForFlag;         // and the number of edits made by then
  std::map<std::uint32_t, std::vector<SiteId>> arrived; // by offset, in the order in which they stand
  const Reference *reference;
  std::size_t edits = 0;
  std::set<std::size_t> tried; // kernels with an allowed trial
  bool gain = false;           // by it
};

} // namespace ptosync
