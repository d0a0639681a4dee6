// A kernel with all syncs in its text that may be put in, of which any choice can be looked at without reading it anew.
//
//   source + candidates --text--> lifted once --choice--> the kernel with these, without those
//
// What the choice leaves out is taken out of the lifted kernel, so that what is analysed is the kernel that the text of
// the choice alone would be. A choice is for trying; what is published is read from its own text. Tested by
// tests/synthesis/trial_kernel_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "rewrite/edit.h"
#include "synthesis/marked_kernel.h"

namespace ptosync::synthesis {

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

} // namespace ptosync::synthesis
