// The kernel that a longer one is held against: the same without some of its syncs, and what it leaves open.
//
//   Kernel --without `absent`--> Program, Pending --orders relative to fences, flags set again--> Reference
//
// Syncs that were put in may make an order hold that the kernel without them does not have. Nobody asked for it, so
// they may go again; but where the kernel without them has it on some path, it must keep it there (path_check.h).
// Conflicts are none of this: one that a sync orders is never opened again.
// Tested by tests/optimize/reference_test.cpp.
#pragma once

#include "ordering/kernel_analysis.h"

#include <llvm/Support/Error.h>

#include <tuple>

namespace ptosync {

struct Reference {
  std::set<SiteId> absent;
  /// Statements of the longer kernel, and how they meet.
  std::set<std::tuple<const Statement *, const Statement *, HazardKind>> open;
  /// True if nothing but flags set again is open of what a kernel in its place may leave open as well: conflicts that
  /// only a contested rule orders, orders relative to fences, and at the kernel's end.
  bool seenButReuses = false;

  bool seenWhole() const { return seenButReuses && open.empty(); }
};

llvm::Expected<Reference> referenceOf(const Kernel &kernel, std::set<SiteId> absent, const Machine &machine,
                                      const OrderingOptions &options);

/// The same as pairs of the longer kernel's program, at every distance.
std::vector<ConflictPair> openPairs(const Reference &reference, const Program &program);

} // namespace ptosync
