// Whether one version of a kernel keeps every order that another one has.
//
//   before, after --merged--> obligations that `after` leaves open --path by path--> one that it has lost, or none
//
// The versions differ in their syncs alone. What `after` is seen to keep on every path is kept. What it leaves open, of
// any kind (ordering/hazard.h) and at any distance, is followed through both versions at once: it is lost if some
// path has it in `before` and not in `after`. So one instance that is open in both excuses no other, and no other path.
// A set or wait that `before` does not have must find its order on every path, but for the end of the kernel, of which
// `before` says nothing. Versions that cannot be merged, because
// one has a branch that the other has not, keep an order only where `after` is seen to keep it.
// Tested by tests/synthesis/order_comparison_test.cpp.
#pragma once

#include "ordering/path_check.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>

namespace ptosync::synthesis {

struct LostOrder {
  ObligationKind kind = ObligationKind::Conflict;
  std::string text; // one clause: "an order relative to an opaque call is lost (fence between lines 3 and 7)"
};

/// An order that `before` has on some path and `after` has not. `faultyFlags`: what flags of `before` that are not
/// binary may order; where that is nothing, they are being mended, and nothing is asked about when they are set again.
llvm::Expected<std::optional<LostOrder>> lostOrder(const Kernel &before, const Kernel &after, const Machine &machine,
                                                   const OrderingOptions &options, PathCheck::FaultyFlags faultyFlags);

/// "RAW between lines 3 and 7".
std::string pairText(const HazardModel &model, const ConflictPair &pair);

} // namespace ptosync::synthesis
