// One kernel, analysed: its program, its pending sets, its webs and its def/use chains, each made once.
//
//   Kernel, Machine, OrderingOptions --Analysis::of--> Analysis
//     program()   events, accesses and flags of every step (program.h), made at once
//     pending()   what may still be running at each of them (pending.h)
//     webs()      the sets and waits that feed one another (syncs.h)
//     links()     for each pair of instructions that meet in memory, what orders the two
//
//   set_flag(MTE2, V, 0)     links():  TLOAD(a) -> TADD(c, a, b)  RAW, ordered by the wait
//   wait_flag(MTE2, V, 0)    webs():   one, of the set and the wait
//   TADD(c, a, b)            pending(): behind the wait, V no longer finds TLOAD(a) running
//
// Everybody who asks about a kernel holds one of these: edits, audits, explanations, prints. A constant Analysis never
// changes. `tryEdit` and `commit` edit its syncs; a committed edit drops what was derived from where the syncs stood.
// Def/use chains are for reading, not for deciding: of several paths to a place the first is followed, and far ones are
// cut off. A pair that nothing orders on some path is `open`, whatever the followed path shows.
// One thread at a time: the parts that are made on demand are made without a lock.
// Tested by tests/ordering/kernel_analysis_test.cpp.
#pragma once

#include "ordering/pending.h"
#include "ordering/syncs.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// Two instructions that meet in memory, and what orders them.
struct ChainLink {
  std::vector<ConflictPair> pairs; // all of two instances; the one that tells a reader most first; never empty
  NodeId earlier = kNone, later = kNone;
  /// Sync events behind which the later one's pipe knows the earlier one complete: the last of them does, through
  /// those in front. Empty if no sync on the path followed does.
  std::vector<EventKey> syncs;
  Excuse excuse = Excuse::None;
  std::string rule;  // of the excuse
  bool open = false; // some path leaves the pair unordered
};

/// Returns the def/use chains of a kernel, by earlier node, nearest first. An access is followed until something
/// certainly overwrites all of its bytes.
std::vector<ChainLink> findChainLinks(const Program &program, const Pending &pending);

class Analysis {
public:
  /// Fails if the kernel cannot be analysed; the error says why.
  static llvm::Expected<Analysis> of(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);
  /// Analyses a program that somebody has changed since it was built.
  explicit Analysis(Program program) : made(std::make_unique<Program>(std::move(program))) {}

  const Kernel &kernel() const { return *made->kernel; }
  const Program &program() const { return *made; }
  const Pending &pending() const { return sets(); }
  const HazardModel &hazards() const { return sets().hazards(); }
  /// Returns the webs of the syncs that are left, as they now stand.
  const std::vector<Web> &webs() const;
  const std::vector<ChainLink> &links() const;
  /// Returns the analysis of the same kernel under the reading that a wait of the scalar pipe holds back whatever any
  /// pipe starts later. It is this one if the kernel has no such wait, or the machine does not know that reading.
  const Analysis &whereScalarWaitsHold() const;

  /// Tries an edit and forgets it.
  Pending::Trial whatIf(const SyncEdit &edit) const;

  // An edit that is tried may be committed. The last one that was tried counts, and only if it was allowed.
  Pending::Trial tryEdit(const SyncEdit &edit) { return sets().tryEdit(edit); }
  void commit();
  void abandon() { sets().abandon(); }
  /// See Pending::holdAgainst.
  void holdAgainst(const std::set<SiteId> &absent, std::vector<ConflictPair> open) {
    sets().holdAgainst(absent, std::move(open));
  }

private:
  Pending &sets() const;

  std::unique_ptr<Program> made; // the other parts refer to it
  mutable std::unique_ptr<Pending> pendingSets;
  mutable std::optional<std::vector<Web>> webList;
  mutable std::optional<std::vector<ChainLink>> linkList;
  mutable std::unique_ptr<Analysis> held; // where scalar waits hold
};

/// The kernels of a file, each analysed once.
class FileAnalysis {
public:
  FileAnalysis(const Module &module, const Machine &machine, const OrderingOptions &options);

  /// Returns the kernels that can be analysed, in the order of the file.
  const std::vector<Analysis> &kernels() const { return analysed; }
  /// Returns the others, and why they cannot be.
  const std::vector<std::pair<const Kernel *, std::string>> &skipped() const { return left; }
  /// Returns the webs of the whole file: kernels that run through one statement share its web.
  const std::vector<Web> &webs() const;

private:
  std::vector<Analysis> analysed;
  std::vector<std::pair<const Kernel *, std::string>> left;
  mutable std::optional<std::vector<Web>> webList;
};

/// Prints the def/use chains of each pipe, for `ptosync opt --print=chains`. Each access comes with its producers,
/// nearest first, what orders each of them, and its consumers.
std::string printChains(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

/// Prints the webs of a kernel, how many flags are set at once, and which event ids are free, for `--print=flags`.
std::string printFlags(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                       const std::vector<SyncSite> &sites);

} // namespace ptosync
