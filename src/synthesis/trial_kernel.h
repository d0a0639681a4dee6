// Kernels on trial: a kernel's text with syncs taken out and put in, marked so that each is found again after it is
// read.
//
// What is published is never one of these: it is read from its own text, without marks (verification.h).
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"
#include "optimize/edit_session.h"
#include "ordering/pending.h"
#include "rewrite/text_edit.h"
#include "synthesis/proposals.h"

#include <llvm/Support/Error.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ptosync::synthesis {

// A kernel read again with syncs in its text that are marked, each by a number.
//
//   text --lifted--> module; by mark: its sites; by site: the one of the input that it is
//
// A mark is what an added sync says it orders (sync_text.h). Refused where the kernel is not found again, or has not
// the syncs of the input beside those that are marked. Tested by tests/synthesis/trial_kernel_test.cpp and
// trial_kernel_test.cpp.

/// Text to module, as any kernel file is read.
using Lift = std::function<llvm::Expected<Module>(const std::string &text)>;

/// The same with no kernels but those named `kernel`: the others are as they were.
Lift liftOnly(const Lift &lift, const std::string &kernel);

/// The same for one thread, with the last texts remembered: what was verified is read again where it is placed once
/// more, and different ways lead to one text. It gives what reading anew would give.
Lift remembering(const Lift &lift);

/// The first event id that a flag has while it is proposed: above those of the machine, and its own.
inline constexpr std::int64_t kFirstProposedId = 64;
inline std::int64_t proposedId(std::size_t number) {
  return kFirstProposedId + static_cast<std::int64_t>(number * kMostSlots);
}

struct MarkedKernel {
  std::unique_ptr<Module> module;
  std::size_t kernel = 0;              // in the module
  std::vector<std::set<SiteId>> sites; // by mark
  std::vector<SiteId> originOf;        // by site of the module: the site of the input; kNone: marked
};

/// `kernel` is one of `input`; `marks`: how many there are. The error says why it cannot be used.
llvm::Expected<MarkedKernel> readMarked(const Module &input, std::size_t kernel, const std::string &text,
                                        std::size_t marks, const Lift &lift);

// A kernel with all syncs in its text that may be put in, of which any choice can be looked at without reading it anew.
//
//   source + candidates --text--> lifted once --choice--> the kernel with these, without those
//
// What the choice leaves out is taken out of the lifted kernel, so that what is analysed is the kernel that the text of
// the choice alone would be. A choice is for trying; what is published is read from its own text. Tested by
// tests/synthesis/trial_kernel_test.cpp.

/// Syncs that come and go together. Places and lines are those of the input.
struct SyncChange {
  std::vector<AddedSync> added;
  std::set<SiteId> removed; // of the input
};

/// What these changes are in the text; removals leave a comment.
std::vector<Edit> editsOf(const Module &module, const std::vector<const SyncChange *> &changes);
/// The source with these changes made.
llvm::Expected<std::string> changedText(const Module &module, const std::vector<const SyncChange *> &changes);

class TrialKernel {
public:
  /// `base` is part of every choice.
  static llvm::Expected<TrialKernel> read(const Module &module, std::size_t kernel, SyncChange base,
                                          std::vector<SyncChange> candidates, const Lift &lift);

  const std::vector<SyncChange> &candidates() const { return changes; }
  /// False: the candidate is not read as it was meant, or would change what a keep comment holds.
  bool fits(std::size_t candidate) const { return fit[candidate]; }

  const Module &module() const { return *marked.module; }
  const Kernel &whole() const { return module().kernels[marked.kernel]; }
  /// The sites of module() that a choice leaves out.
  std::set<SiteId> without(const std::set<std::size_t> &chosen) const;
  /// The sites of module() that a candidate adds.
  const std::set<SiteId> &sitesOf(std::size_t candidate) const { return marked.sites[candidate]; }
  /// By site of module(): that of the input; kNone: added.
  const std::vector<SiteId> &origins() const { return marked.originOf; }

  Kernel with(const std::set<std::size_t> &chosen) const;
  /// All kernels of the file with a choice.
  Module moduleWith(const std::set<std::size_t> &chosen) const;

private:
  SyncChange base;
  std::vector<SyncChange> changes;
  MarkedKernel marked; // by the numbers of the candidates, and behind them the base
  std::vector<bool> fit;
};

// A kernel with everything that was proposed put into its text, analysed like any other kernel.
//
//   source + proposals --text--> lifted --> EditSession, the sites of each proposal
//
// Each flag that is proposed has an event id of its own, above those that the machine has, so none is in another's way.
// Proposals whose flag turns out not to be binary on every path, or could be set again too early, are taken out of what
// was read, and the rest is looked at again. What the kernel has of its own is all there, so nothing that was ordered
// is lost. Tested by tests/synthesis/trial_kernel_test.cpp.

/// The marks are the numbers of the proposals.
struct AugmentedKernel : MarkedKernel {
  std::vector<Proposal> proposals; // that are in the text
};

/// `kernel` is one of `module`. The error says why nothing could be put in.
llvm::Expected<AugmentedKernel> augment(const Module &module, std::size_t kernel, const StatementTree &tree,
                                        std::vector<Proposal> proposals, const Machine &machine,
                                        const OrderingOptions &options, const Lift &lift);

// One version of a kernel, analysed from nothing: what is open in it, so that versions can be held against each other.
//
//   Kernel --Program, Pending--> pairs left open, by the numbers of their statements; faults of its flags
//
// Statements other than syncs have the same number in every version of a kernel that differs in its syncs alone, so
// pairs of two versions can be compared. Tested through tests/synthesis/verification_test.cpp and fix_test.cpp.

/// Two statements by number, and how they meet.
using OpenPair = std::tuple<std::size_t, std::size_t, HazardKind>;

struct KernelState {
  std::unique_ptr<Program> program; // the kernel must outlive it
  std::unique_ptr<Pending> pending;
  std::set<OpenPair> open;            // conflicts that nothing orders
  std::set<OpenPair> silenced;        // conflicts that only a contested rule orders
  std::set<OpenPair> fences;          // orders relative to opaque calls that do not hold on every path
  std::set<std::size_t> atEnd;        // statements that may still run where the kernel ends
  std::map<Flag, std::size_t> faults; // places where a flag is not binary
  std::map<Flag, std::size_t> reuses; // places where a flag may be set again before its wait
  /// Of those, the statements: the flag, the wait, the set that may come before it. kNone: a statement that is no site.
  std::set<std::tuple<Flag, SiteId, SiteId>> reusePairs;

  /// Of a pair of one of the sets above.
  OpenPair pairOf(const ConflictPair &pair) const;
  /// Of a node's statement; kNone for a sync.
  std::size_t numberOf(NodeId node) const;

  std::map<const Statement *, std::size_t> numbers;
};

/// The statements of a kernel that are no syncs, in order: their numbers are positions here.
std::vector<const Statement *> numberedStatements(const Kernel &kernel);

llvm::Expected<KernelState> analyseKernel(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

/// "flag (PIPE_MTE2, PIPE_V, 0)".
std::string flagName(const Flag &flag);

} // namespace ptosync::synthesis
