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
// two loads of what nobody writes give one. The ordering analysis says which pairs these are, by their lines, and a
// pair counts as such only if that holds for all pairs of statements on its lines. Kernels that order their work by
// buffer ids are left out whole, for the replay does not know those. What no run of the replay shows is not seen.
// Tested by tests/synthesis/whole_order_test.cpp.
#pragma once

#include "replay/verify.h"
#include "synthesis/kernel_state.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::synthesis {

using LinePair = std::pair<std::uint32_t, std::uint32_t>; // earlier, later

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
