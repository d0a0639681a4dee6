// Puts proposals into a kernel, with flags that can serve for several orders made one.
#pragma once

#include "base/messages.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/resync.h"

namespace ptosync::synthesis {

// One flag where several were proposed: fewer statements, for an order that is a little wider than what is needed.
//
//   flags of one list --set behind the last producer, wait in front of the first consumer--> one for both
//   rings of loops that follow one another --primed once, in front of the first, drained once, behind the last--> one
//
// Rings of loops are matched by their order in each loop: the first of one loop with the first of the next.
// Nothing is said about what a merged flag costs, or whether it is of use: a kernel that has all proposals is asked
// which of them can go (reduction.h). Tested by tests/synthesis/proposed_kernel_test.cpp.

/// Of some of these proposals each, in a fixed order. Empty where none go together.
std::vector<Proposal> mergedFlags(const std::vector<Proposal> &proposals, const StatementTree &tree);

// A kernel with everything that was proposed put into its text, analysed like any other kernel.
//
//   source + proposals --edited_kernel.h--> module, the sites of each proposal --unfit ones out--> ProposedKernel
//
// Each flag that is proposed has an event id of its own, above those that the machine has, so none is in another's way.
// Proposals whose flag turns out not to be binary on every path, or could be set again too early, are taken out of what
// was read, and the rest is looked at again. What the kernel has of its own is all there, so nothing that was ordered
// is lost. Tested by tests/synthesis/proposed_kernel_test.cpp.

struct ProposedKernel {
  EditedFile file;
  std::size_t number = 0; // of the kernel in it
  std::vector<Proposal> proposals;
  std::vector<std::set<SiteId>> sites; // by proposal
  std::vector<std::size_t> numbers;    // by proposal: among those that were to be put in
  ReductionSize size;                  // merged proposals aside
  const Module &module() const { return file.module(); }
  const Kernel &kernel() const { return module().kernels[number]; }
  /// By site of module(): that of the input; kNone: proposed.
  const std::vector<SiteId> &origins() const { return file.origins(); }
};

/// `kernel` is one of `module`. The error says why nothing could be put in.
llvm::Expected<ProposedKernel> withProposals(const Module &module, std::size_t kernel, const StatementTree &tree,
                                             std::vector<Proposal> proposals, const Machine &machine,
                                             const OrderingOptions &options, const Lift &lift);

// A kernel with all that a search may choose from, known to be enough.
//
//   RequiredOrder --proposals.h, mergedFlags--> proposals --withProposals--> ProposedKernel
//
// Where that leaves a pair unordered, or only PIPE_ALL orders it, the two pipes also meet in front of the later
// statement (meetingsFor): that orders any pair of two pipes, at the price of both waiting. Bounded: many proposals are
// cut down to the plain ones, more are an error. Tested by tests/synthesis/proposed_kernel_test.cpp.

/// More is proposed than can be tried at once, or more needs an order than is listed.
class TooLong : public TextError<TooLong> {
  using TextError::TextError;
};

/// `machine` has ids without end. The error says what cannot be ordered, or why nothing can be put in; for Range::Slots
/// and Range::Trips also that no flag is of that kind.
llvm::Expected<ProposedKernel> proposedKernel(const Module &module, std::size_t kernel, const RequiredOrder &order,
                                              const StatementTree &tree, Range range, const Machine &machine,
                                              const OrderingOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
