// A kernel with everything that was proposed put into its text, analysed like any other kernel.
//
//   source + proposals --text--> lifted --> EditSession, the sites of each proposal
//
// Each flag that is proposed has an event id of its own, above those that the machine has, so none is in another's way.
// Proposals whose flag turns out not to be binary on every path, or could be set again too early, are left out and the
// rest is tried again. What the kernel has of its own is all there, so nothing that was ordered is lost. Tested by
// tests/synthesis/augmented_kernel_test.cpp.
#pragma once

#include "optimize/edit_session.h"
#include "synthesis/proposal.h"

#include <functional>
#include <memory>

namespace ptosync::synthesis {

/// Text to module, as any kernel file is read.
using Lift = std::function<llvm::Expected<Module>(const std::string &text)>;

/// The ids of proposed flags, before they get one that exists.
inline constexpr std::int64_t kFirstProposedId = 64;

struct AugmentedKernel {
  std::unique_ptr<Module> module;
  std::size_t kernel = 0;              // in the module
  std::vector<Proposal> proposals;     // that are in the text
  std::vector<std::set<SiteId>> sites; // by proposal
  std::vector<SiteId> originOf;        // by site of the module: the site of the input; kNone: proposed
};

/// `kernel` is one of `module`. The error says why nothing could be put in.
llvm::Expected<AugmentedKernel> augment(const Module &module, std::size_t kernel, const StatementTree &tree,
                                        std::vector<Proposal> proposals, const Machine &machine,
                                        const OrderingOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
