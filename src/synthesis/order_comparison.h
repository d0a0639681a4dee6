// Compares the orders of two versions of a kernel: whatever the first one orders, the second must order too.
#pragma once

#include "kernel/kernel.h"
#include "ordering/path_check.h"
#include "replay/verify.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"

#include <llvm/Support/Error.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::synthesis {

// Two versions of a kernel that differ in their syncs alone, as one kernel in which the syncs of both stand.
//
//   before   TLOAD  set 0  wait 0  TADDS
//   after    TLOAD  set 3  wait 0  TADDS         -->   TLOAD  set 0 (before)  set 3 (after)  wait 0 (both)  TADDS
//
// A sync that stands between the same statements and is spelled alike in both is one sync. Every path of the one
// version is a path of the other, so whether an order is kept can be asked path by path, for both at once
// (order_comparison.h). Versions whose blocks do not correspond, because one has a branch around a sync or has it on
// another condition, are not merged. Tested by tests/synthesis/order_comparison_test.cpp.

struct MergedVersions {
  Kernel kernel;                          // each of its syncs is a site of its own, also where calls share the text
  std::set<SiteId> onlyBefore, onlyAfter; // what only one version has
};

/// Empty if their blocks do not correspond.
std::optional<MergedVersions> mergeVersions(const Kernel &before, const Kernel &after);

// Whether one version of a kernel keeps every order that another one has.
//
//   before, after --merged--> obligations that `after` leaves open --path by path--> one that it has lost, or none
//
// The versions differ in their syncs alone. What `after` is seen to keep on every path is kept. What it leaves open, of
// any kind (ordering/hazard.h) and at any distance, is followed through both versions at once: it is lost if some
// path has it in `before` and not in `after`. So one instance that is open in both excuses no other, and no other path.
// A set or wait that `before` does not have must find its order on every path, but for the end of the kernel, of which
// `before` says nothing. Where the kernel ends, work counts that no sync of `after` follows, since one of `before` may
// have. Versions that cannot be merged, because one has a branch that the other has not, keep an order only where
// `after` is seen to keep it.
// Tested by tests/synthesis/order_comparison_test.cpp.

struct LostOrder {
  ObligationKind kind = ObligationKind::Conflict;
  std::string text; // one clause: "an order relative to an opaque call is lost (fence between lines 3 and 7)"
};

/// An order that `before` has on some path and `after`, which was analysed with `options`, has not. `faultyFlags`: what
/// flags of `before` that are not binary may order; where that is nothing, they are being mended, and nothing is asked
/// about when they are set again.
llvm::Expected<std::optional<LostOrder>> lostOrder(const Kernel &before, const Analysis &after, const Machine &machine,
                                                   const OrderingOptions &options, PathCheck::FaultyFlags faultyFlags);

/// Whatever `after` leaves open, as lostOrder asks it; empty: every order that may be needed is there.
std::optional<LostOrder> firstOpen(const Analysis &after);

/// Two versions as one analysed kernel, with the syncs of `after` in force.
class VersionComparison {
public:
  static llvm::Expected<VersionComparison> of(MergedVersions merged, const Machine &machine,
                                              const OrderingOptions &options);

  const MergedVersions &versions() const { return *merged; }
  const Program &program() const { return *merge; }
  /// What is open with the syncs of `after`. The sites are those of the merged kernel.
  const Pending &after() const { return *pending; }
  const SyncLayout &layoutAfter() const { return afterLayout; }
  /// As lostOrder.
  std::optional<LostOrder> firstLoss(PathCheck::FaultyFlags faultyFlags) const;

private:
  VersionComparison() = default;
  std::unique_ptr<MergedVersions> merged; // the program refers to its kernel
  std::unique_ptr<Program> merge;         // with the brackets of `after`: in `before` they order what they may
  SyncLayout beforeLayout, afterLayout;
  std::unique_ptr<Pending> pending;
};

/// "RAW between lines 3 and 7".
std::string pairText(const HazardModel &model, const ConflictPair &pair);

// Does one version of a file have all the order that it needs? The replay's answer, without a second version.
//
//   Module --the same kernels with PIPE_ALL in front of every instruction--> replay --> orders that are not there
//
// The audit names what is certainly or probably wrong. A file may lack more than that: a conflict at a place that
// memory decides, or on one of the pipes that sources name. `fix` may call a file right only if nothing at all is
// left, so the replay is asked about the final text, whether something was changed or not.
//
// Left out are orders relative to opaque calls, and pairs that a contested rule of the machine orders: right kernels
// lack those. So is what only a run shows whose memory cannot be: the replay draws each loaded value by itself, while
// two loads of what nobody writes give one. The ordering analysis says which pairs these are, by where they begin, and
// a pair counts as such only if that holds in all calls of the helper that its statements stand in. Kernels that order
// their work by buffer ids are left out whole, for the replay does not know those. What no run of the replay shows is
// not seen. Tested by tests/synthesis/order_comparison_test.cpp.

using BytePair = std::pair<std::uint32_t, std::uint32_t>; // where two statements begin: the earlier, the later one

/// Returns the kernels with PIPE_ALL in front of every instruction and no other sync but the tail: all order there
/// can be.
Module fullyOrdered(const Module &module);

/// Returns what the replay is asked for against full order: what meets in memory, and as much of it as there is. A list
/// that is cut off would hide what comes behind orders relative to opaque calls and contested ones.
replay::Options againstFullOrder(replay::Options options);

/// Returns true if a list of the replay may have been cut off.
bool mayBeCutOff(const std::vector<replay::Finding> &findings);

struct WholeOrder {
  /// Orders, flags that are not binary, and waits that hang. A set that may come before the wait for its flag's last
  /// setting is none of them, since emitted kernels have that race.
  std::vector<replay::Finding> missing;
  /// Of what the replay misses: how many pairs of statements a contested rule alone orders, by the rule's id.
  std::map<std::string, std::size_t> contested;
};

/// Asks about the kernels of the module that can be analysed. Errors: a kernel cannot be replayed or analysed.
llvm::Expected<WholeOrder> lookAtOrder(const Module &module, const Machine &machine, const OrderingOptions &ordering,
                                       const replay::Options &options);

} // namespace ptosync::synthesis
