// A kernel with everything that was proposed put into its text, analysed like any other kernel.
//
//   source + proposals --text--> lifted --> EditSession, the sites of each proposal
//
// Each flag that is proposed has an event id of its own, above those that the machine has, so none is in another's way.
// Proposals whose flag turns out not to be binary on every path, or could be set again too early, are taken out of what
// was read, and the rest is looked at again. What the kernel has of its own is all there, so nothing that was ordered
// is lost. Tested by tests/synthesis/augmented_kernel_test.cpp.
#pragma once

#include "optimize/edit_session.h"
#include "synthesis/marked_kernel.h"
#include "synthesis/proposal.h"

namespace ptosync::synthesis {

/// The marks are the numbers of the proposals.
struct AugmentedKernel : MarkedKernel {
  std::vector<Proposal> proposals; // that are in the text
};

/// `kernel` is one of `module`. The error says why nothing could be put in.
llvm::Expected<AugmentedKernel> augment(const Module &module, std::size_t kernel, const StatementTree &tree,
                                        std::vector<Proposal> proposals, const Machine &machine,
                                        const OrderingOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
