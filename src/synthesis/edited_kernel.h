// A file with other syncs in it: its text is written, read, and what stands where is known.
//
//   input + SyncPlan --edits--> text --Lift--> module
//                       |                        |
//                       +---- bytes of both -----+--> which site is which of the input, and which was added
//
//   12  TLOAD(v1, g);                    12  TLOAD(v1, g);
//                                   -->  13  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: orders ..
//   13  pipe_barrier(PIPE_V);            14  pipe_barrier(PIPE_V);
//
//   origins(): {added, 0}     addedSites(): {0}     inputOffset() of line 14: that of line 13
//
// There is one way from a plan to a kernel, the way over the text: what a statement means where it stands (its
// variables, its types, which branch of the preprocessor it is in) the frontend alone says. To try many choices the
// text is written once with everything in it, and what a choice leaves out is taken out of the lifted kernel
// (TrialKernel): that is the kernel that the text of the choice alone would be, and no trial reads anything.
// What is published is read again from its own text, with nothing left out (verification.h).
// Tested by tests/synthesis/edited_kernel_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "kernel/sync_plan.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::synthesis {

/// Text to module, as any kernel file is read.
using Lift = std::function<llvm::Expected<Module>(const std::string &text)>;

/// The same with no kernels but those named `kernel`: the others are as they were.
Lift liftOnly(const Lift &lift, const std::string &kernel);

/// The same for one thread, with the last texts remembered: what was verified is read again where it is placed once
/// more, and different ways lead to one text. It gives what reading anew would give.
Lift remembering(const Lift &lift);

class EditedFile {
public:
  /// `plan` moves nothing. The error says why the text cannot be used: an edit is not applicable, it cannot be read, or
  /// it has not the syncs of the input beside those that were added.
  static llvm::Expected<EditedFile> read(const Module &input, SyncPlan plan, const Lift &lift);

  const Module &module() const { return *lifted; }
  const SyncPlan &plan() const { return carriedOut; }
  /// By site of module(): that of the input; kNone: added.
  const std::vector<SiteId> &origins() const { return originOf; }
  /// By number in the plan: the site of module() that was added; kNone: it is not read as a sync.
  const std::vector<SiteId> &addedSites() const { return siteOfAdded; }
  /// The sites that were added, by AddedSync::edit below `count`: what is put in together is given one number.
  std::vector<std::set<SiteId>> sitesByEdit(std::size_t count) const;
  /// The number in module() of a kernel of the input. The error says that it is not read as the same kernel.
  llvm::Expected<std::size_t> numberOf(const Kernel &kernel) const;

  /// The byte of the input that was copied to `offset`, or at which what was put there begins; empty inside of that.
  std::optional<std::uint32_t> inputOffset(std::uint32_t offset) const;
  /// The line of the input that a line has text of; 0: none.
  std::uint32_t inputLine(std::uint32_t line) const;

  /// Takes sites out of all kernels of module(), as if the plan had never had them.
  void leaveOut(const std::set<SiteId> &sites);

private:
  EditedFile(const Module &input, SyncPlan plan) : input(&input), carriedOut(std::move(plan)) {}
  bool findSites(const std::vector<std::uint32_t> &begins);
  bool isCopied(std::uint32_t offset) const;

  /// Bytes of the input that stand in the text too.
  struct Copied {
    std::uint32_t to, from, size;
  };
  const Module *input;
  SyncPlan carriedOut;
  std::vector<Copied> pieces; // in order
  std::unique_ptr<Module> lifted;
  std::vector<SiteId> originOf, siteOfAdded;
};

// A kernel with all syncs in its text that may be put in, of which any choice can be looked at without reading it anew.

class TrialKernel {
public:
  /// `base` is part of every choice.
  static llvm::Expected<TrialKernel> read(const Module &module, std::size_t kernel, const SyncPlan &base,
                                          std::vector<SyncPlan> candidates, const Lift &lift);

  const std::vector<SyncPlan> &candidates() const { return plans; }
  /// False: the candidate is not read as it was meant, or would change what a keep comment holds.
  bool fits(std::size_t candidate) const { return fit[candidate]; }

  const Module &module() const { return file.module(); }
  const Kernel &whole() const { return module().kernels[number]; }
  /// The sites of module() that a choice leaves out.
  std::set<SiteId> without(const std::set<std::size_t> &chosen) const;
  /// The sites of module() that a candidate adds.
  const std::set<SiteId> &sitesOf(std::size_t candidate) const { return sites[candidate]; }
  /// By site of module(): that of the input; kNone: added.
  const std::vector<SiteId> &origins() const { return file.origins(); }

  Kernel with(const std::set<std::size_t> &chosen) const;
  /// All kernels of the file with a choice.
  Module moduleWith(const std::set<std::size_t> &chosen) const;

private:
  explicit TrialKernel(EditedFile file) : file(std::move(file)) {}
  llvm::Error settle(const Module &input, std::size_t kernel);

  EditedFile file;
  std::size_t number = 0; // of the kernel in module()
  std::set<SiteId> removedByBase;
  std::vector<SyncPlan> plans;
  std::vector<std::set<SiteId>> sites; // by candidate
  std::vector<bool> fit;
};

/// Several plans for one text as one, with what they add in order of place.
SyncPlan joined(const std::vector<SyncPlan> &plans);

} // namespace ptosync::synthesis
