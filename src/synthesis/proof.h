// Proves that the second version of a file keeps every order that the first one has: on every path, for all trip
// counts, without a run.
//
//   Module, Module --the same code?--> merged kernels --analysed, what is open followed path by path--> proved, or why
//                                                                                                     not
//
// Proved is a kernel of which both versions do the same work (same_code.h) and
//   - no order that the first one has is lost: conflicts, orders relative to opaque calls, flags set again, and what is
//     over where the kernel ends (order_comparison.h), on whatever path and under both readings of contested rules;
//   - each flag with a statement that differs is binary on every path of the second one, and where other flags are not,
//     nothing was added that could wait for them in a circle;
//   - the same holds for the brackets of buffer ids, if a bracket differs;
//   - no sync that differs, nor a flag of it, is also used where no run is seen to come: nothing was looked at there.
// Where one version has a branch around syncs that the other has not, or has it on another condition, nothing at all
// may be open in the second one. Two versions with the same syncs are proved without an analysis. Whatever cannot be
// said has a reason and is not proved. That it is wrong is for a run to show (replay/verify.h), which shares none of
// this. The runs that a first version with faults makes by luck are not followed. Sound as far as the ordering analysis
// is (docs/soundness.md). Tested by tests/synthesis/proof_test.cpp and tests/golden/proof_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "synthesis/same_code.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ptosync::synthesis {

struct KernelProof {
  std::string kernel;
  Section section = Section::Both;
  std::string reason; // why it is not proved, one clause; empty: it is
};

struct FileProof {
  std::vector<KernelProof> kernels; // in the order of the first one, then those of the second one alone
  /// Returns true if there is a kernel and each of them is proved.
  bool proved() const;
  /// Returns the first reason; empty if there is none.
  std::string firstReason() const;
  /// Returns null for a kernel that is not among them.
  const KernelProof *of(const std::string &kernel, Section section) const;
};

/// Of two versions of one kernel.
std::optional<std::string> reasonNotProved(const Kernel &before, const Kernel &after, Unfollowed unfollowed,
                                           const Machine &machine, const OrderingOptions &options);

/// Kernels are matched by name and section. Where the files have one shape (FrontendOptions::shapes), what the reader
/// does not follow is the same in both.
FileProof proveOrders(const Module &before, const Module &after, const Machine &machine,
                      const OrderingOptions &options);

} // namespace ptosync::synthesis
