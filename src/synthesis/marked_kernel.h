// A kernel read again with syncs in its text that are marked, each by a number.
//
//   text --lifted--> module; by mark: its sites; by site: the one of the input that it is
//
// A mark is what an added sync says it orders (sync_text.h). Refused where the kernel is not found again, or has not
// the syncs of the input beside those that are marked. Tested by tests/synthesis/augmented_kernel_test.cpp and
// trial_kernel_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "synthesis/proposal.h"

#include <llvm/Support/Error.h>

#include <functional>
#include <memory>
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

} // namespace ptosync::synthesis
