// A kernel with all that a search may choose from, known to be enough.
//
//   RequiredOrder --proposals.h, merged_flags.h--> proposals --augmented_kernel.h--> ProposedKernel
//
// Where that leaves a pair unordered, or only PIPE_ALL orders it, the two pipes also meet in front of the later
// statement (meetingsFor): that orders any pair of two pipes, at the price of both waiting. Bounded: many proposals are
// cut down to the plain ones, more are an error. Tested by tests/synthesis/proposed_kernel_test.cpp.
#pragma once

#include "synthesis/augmented_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/variations.h"

namespace ptosync::synthesis {

struct ProposedKernel {
  AugmentedKernel augmented;
  ReductionSize size; // merged proposals aside
  const Kernel &kernel() const { return augmented.module->kernels[augmented.kernel]; }
};

/// `machine` has ids without end. The error says what cannot be ordered, or why nothing can be put in; for Range::Slots
/// and Range::Trips also that no flag is of that kind.
llvm::Expected<ProposedKernel> proposedKernel(const Module &module, std::size_t kernel, const RequiredOrder &order,
                                              const StatementTree &tree, Range range, const Machine &machine,
                                              const OrderingOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
