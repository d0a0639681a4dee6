// The edits of a group of kernels in the making: trials that must succeed in every kernel of the group, and decisions.
//
//   edit --tryEdit--> refused by a kernel, with its witness | allowed --commit--> the kernels as they now stand
//                                                                     --remove, move--> a numbered decision
//
// The first steps in corpus/flash_attention, whose barrier of line 502 goes and whose barrier of line 418 stays:
//
//   tryRemoval({502})   Each kernel through line 502 asks three things of its trial. Does a conflict, a fence, a flag's
//                       reuse or the kernel's end lose its order (pending.h)? None does: a rule orders the pair. May a
//                       pair of the input that is not seen ordered lose an order on some path (pins.h)? There is none.
//                       Is a flag of the edit also used where no run is seen to come? No.
//   remove({502}, ..)   Commits: from now on every trial runs on top of it. The decision has edit number 1.
//   tryRemoval({418})   TMAX(v92, v92, v89) on line 417 would still run when TSUB(v95, v89, v92) starts: refused.
//   keepRefused(418)    The decision keeps the pair as its witness.
//
// Why that is sound: an edit only ever weakens, so what a trial refused stays refused, but for flags that were in the
// way (`maySucceedLater`); and a statement is edited only if each kernel that runs through it agrees.
// It does not choose what to try: that is for the edit kinds (edit_kinds.h).
// Tested by tests/optimize/edit_session_test.cpp and through the tests of the edit kinds.
#pragma once

#include "optimize/decision.h"
#include "optimize/optimizer.h"
#include "optimize/pins.h"
#include "optimize/statement_slots.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ptosync {

/// Keeps what was decided about each sync of a file so far. It proves nothing.
class Decisions {
public:
  Decisions(const Module &module, const OptimizeOptions &options);

  const SiteDecision &operator[](SiteId site) const { return list[site]; }
  /// Returns all of them, by site.
  const std::vector<SiteDecision> &all() const { return list; }
  bool isRemoved(SiteId site) const { return list[site].verdict == Verdict::Removed; }

  /// Returns false if --max-removals leaves no edit.
  bool mayEdit() const { return editsLeft() > 0; }
  /// Returns how many edits --max-removals leaves.
  std::size_t editsLeft() const {
    return options.maxRemovals ? std::max(edits, *options.maxRemovals) - edits : SIZE_MAX;
  }
  /// Returns false if --lines or OptimizeOptions::sites leaves the site out.
  bool chosen(SiteId site) const {
    return (options.lines.empty() || options.lines.count(module.sites[site].line)) && mayTouch(site);
  }
  /// Returns false if OptimizeOptions::sites does: no edit that has the site among others is made either.
  bool mayTouch(SiteId site) const { return !options.sites || options.sites->count(site); }
  /// Keeps a site that is left out.
  void leaveOut(SiteId site) {
    if (mayTouch(site))
      keep(site, KeptReason::Limit, "--lines does not name its line");
    else
      keep(site, KeptReason::NotApproved, "no edit of it is approved");
  }
  std::size_t editCount() const { return edits; }
  /// Counts an edit and returns its number, from 1.
  std::uint32_t number() { return static_cast<std::uint32_t>(++edits); }

  /// Notes which pattern asks for an edit of the site; `id` is empty if none does any more.
  void nominate(SiteId site, std::string id) { list[site].pattern = std::move(id); }
  void keep(SiteId site, KeptReason reason, std::string detail, std::optional<Conflict> witness = std::nullopt);
  /// Makes the removal of the sites one edit.
  void remove(const std::set<SiteId> &sites, const std::string &pattern);
  /// The site has moved; it takes a number with the first of its moves.
  void move(SiteId site, const std::string &pattern, std::vector<Evidence> evidence);
  /// Notes that a moved site now stands, also, in front of the statement that begins at `offset`: behind what arrived
  /// there before, or in front of `other`, which did.
  void arrive(SiteId site, std::uint32_t offset, SiteId other);
  /// Notes that it does not stand there any more.
  void leave(SiteId site, std::uint32_t offset);

  void runsThrough(SiteId site, std::vector<std::string> kernels, std::vector<Section> sections);
  void justify(SiteId site, std::vector<Evidence> evidence) { list[site].evidence = std::move(evidence); }
  std::vector<SiteDecision> take() { return std::move(list); }

private:
  void settle(SiteId site, Verdict verdict, KeptReason reason, std::string detail, std::optional<Conflict> witness);
  void rankArrivals(std::uint32_t offset);

  const Module &module;
  const OptimizeOptions &options;
  std::vector<SiteDecision> list;                       // by site
  std::map<std::uint32_t, std::vector<SiteId>> arrived; // by offset, in the order in which they stand
  std::size_t edits = 0;
};

class EditSession {
public:
  /// Edits one group of kernels; the sites that none of them runs through are left undecided.
  /// `reference` is what the edits of the group's only kernel are held against; null means that kernel as it is.
  EditSession(const Module &module, const KernelGroup &group, const Machine &machine, const Catalogue &catalogue,
              const OptimizeOptions &options, const Reference *reference = nullptr);

  const Module &module() const { return file; }
  const SyncSite &site(SiteId id) const { return file.sites[id]; }
  const Machine &machine() const { return chip; }
  const Catalogue &catalogue() const { return patterns; }
  const OptimizeOptions &options() const { return choices; }

  /// Returns the kernels of the group that were analysed, as their syncs now stand, by number.
  using Kernels = std::map<std::size_t, Analysis>;
  const Kernels &kernels() const { return analysed; }
  const Analysis &kernel(std::size_t number) const { return analysed.at(number); }
  /// Returns the kernels of the group that run through a site, those that were not analysed included.
  const std::set<std::size_t> &kernelsOf(SiteId site) const { return through[site]; }
  /// Returns the depth of the deepest loop around a site.
  std::uint32_t depthOf(SiteId site) const { return depth[site]; }
  StatementSlots &slots(std::size_t number) const { return *placed.at(number); }

  Decisions &decisions() { return decided; }
  const Decisions &decisions() const { return decided; }

  // Trials.

  struct Refusal {
    std::size_t kernel;
    Pending::Trial trial;
    std::optional<ConflictPair> unresolved; // an open pair that may lose an order
    SiteId unreached = kNone;               // a statement of an edited flag that no run is seen to reach
    SiteId leftOut = kNone;                 // a statement of the edit that OptimizeOptions::sites leaves out
  };
  /// Returns the open pairs of a kernel that an edit may concern; asked for only if nothing else refuses it.
  using OpenPairs = std::function<std::vector<ConflictPair>(std::size_t kernel)>;
  OpenPairs openPairsOf(SiteId barrier) const;
  OpenPairs openPairsOf(const Web &web) const;
  /// Returns those of several edits that are one trial.
  static OpenPairs together(std::vector<OpenPairs> several);

  /// Returns nothing if every kernel allows the edit and none of the open pairs loses an order on any path. It is to be
  /// committed or abandoned then; another trial abandons it.
  std::optional<Refusal> tryRemoval(const std::set<SiteId> &sites, const OpenPairs &open);
  std::optional<Refusal> tryEdit(const std::map<std::size_t, SyncEdit> &edits, const OpenPairs &open); // by kernel
  /// Returns true if the last trial, an allowed one, lets some instruction start earlier.
  bool startsEarlier() const { return gain; }
  void commit();
  void abandon();
  /// Returns the set that would come too early, before the wait for an earlier setting of its flag: kNone if it is none
  /// of the text. Returns nothing if the edit was refused for anything else.
  std::optional<SiteId> setTooEarly(const Refusal &refusal) const;
  /// Returns what the trials have cost so far: Pending::worked and Pins::worked.
  std::uint64_t worked() const;

  // Decisions that rest on trials.

  /// Commits the removal that was tried last, as one edit that `pattern` asked for.
  void remove(const std::set<SiteId> &sites, const std::string &pattern);
  void keepRefused(SiteId site, const Refusal &refusal);
  /// Returns true if the site was refused for the sake of another flag, or as a link in what may order an open
  /// pair, and something has gone since: that may not hold any more. Every other refusal holds for good,
  /// for edits only ever weaken.
  bool maySucceedLater(SiteId site) const;
  /// Settles what needs no proof (protection, kernels that were not analysed). Returns true if the site may be
  /// edited as far as that goes.
  bool screen(SiteId site);
  /// Returns what a removed sync told its pipe: a wait when it went, a barrier as the kernel now stands.
  Pending::Faced facedBy(SiteId site, std::size_t kernel) const;

  /// Returns true if an order may rest unseen on a flag that only some trips of a loop use, of these statements. None
  /// does if the kernels that run through them, as edits are held against them, are seen whole (pending.h), or have
  /// none of these.
  bool mayCarryUnseen(const std::set<SiteId> &sites) const;
  /// From now on such flags may go: the caller sees to it that nothing rests on them.
  void letIntermittentGo() { intermittentToo = true; }

  /// Remembers the statements of each web that is looked at while whole webs are tried, and returns those of last time.
  std::set<std::set<SiteId>> lookAtWebs(std::set<std::set<SiteId>> now) { return std::exchange(websTried, now); }

  /// Returns the decisions and what else was found. Nothing else may be asked of the session afterwards.
  OptimizeResult take();

private:
  void analyse(std::size_t number);
  SiteId unreachedUse(std::size_t kernel, const SyncEdit &edit) const;
  SiteId leftOutOf(std::size_t kernel, const SyncEdit &edit) const;
  void reportOpen(const Analysis &analysis);
  bool werePutIn(const std::set<SiteId> &sites) const;
  bool seenWhole(const std::set<SiteId> &sites) const;
  void collectSites(const KernelGroup &group);
  void keepUnresolved(SiteId site, std::size_t kernel, const ConflictPair &pair);

  const Module &file;
  const Machine &chip;
  const Catalogue &patterns;
  const OptimizeOptions &choices;
  const Reference *reference;
  Kernels analysed;
  std::map<std::size_t, Pins> pins;                              // by kernel
  std::map<std::size_t, std::unique_ptr<StatementSlots>> placed; // by kernel
  std::vector<std::set<std::size_t>> through;                    // by site
  std::vector<std::uint32_t> depth;                              // by site
  Decisions decided;
  OptimizeResult found;                         // all but the decisions
  std::set<std::size_t> tried;                  // kernels with an allowed trial
  bool gain = false;                            // by it
  std::map<SiteId, std::size_t> refusedForFlag; // and the number of edits made by then
  std::map<SiteId, std::map<std::size_t, Pending::Faced>> facedWhenRemoved;
  std::set<std::set<SiteId>> websTried;
  bool intermittentToo = false;
};

/// Returns the evidence for a removed sync, from what it faced where it stood and from the kernel as it finally stands.
/// For each instance still running there, that is the first later instruction that conflicts with it, and what orders
/// that pair now: a machine rule, another sync with its line, or a barrier inside a library call. Of a sync that faces
/// very many instances, in a `switch` of a hundred cases say, those of the nearest instructions are looked at, and not
/// all that follows: the evidence is what a reader is shown, and no proof.
std::vector<Evidence> evidenceOf(const Analysis &kernel, Pending::Faced faced);

} // namespace ptosync
