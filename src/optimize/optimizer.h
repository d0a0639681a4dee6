// Decides every sync site of a module: which go, which move, and why each other stays.
//
//   Module --sites that kernels share--> groups of kernels --EditSession--> trials in a fixed order --> decisions
//
// Patterns nominate, the pending analysis decides: an edit is made only if no conflict, no order relative to an opaque
// fence, no flag's balance and no flag's reuse is lost in any kernel that runs through it, with all earlier edits
// applied. Order: barriers (PIPE_ALL first), whole webs of flags, generations of webs, then waits are sunk and sets
// raised; within a kind from the deepest loop out, ties by position.
// Kernels that share no sync, as the two core sections of one function do unless a helper syncs in both, know nothing
// of each other. They are decided side by side, and their edits numbered one kernel after the other. A sync that is
// never edited, like the end fence in the helper that every kernel calls, ties nobody. So the result is deterministic
// and running on the output changes nothing. Tested by tests/optimize/optimizer_test.cpp and the golden tests over
// corpus/.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "optimize/decision.h"
#include "ordering/program.h"
#include "patterns/catalogue.h"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace ptosync {

/// Numbers of kernels in Module::kernels. Each is in one group; groups are ordered by their first kernel.
using KernelGroup = std::set<std::size_t>;

/// Returns the kernels that must be edited together: those that run through one sync statement.
std::vector<KernelGroup> kernelGroups(const Module &module);

struct OptimizeOptions {
  OrderingOptions ordering;
  std::optional<std::size_t> maxRemovals;
  std::set<std::uint32_t> lines;         // empty: all
  std::optional<std::set<SiteId>> sites; // an edit of any other statement is refused; nothing: all
};

OptimizeResult optimize(const Module &module, const Machine &machine, const Catalogue &catalogue,
                        const OptimizeOptions &options);

} // namespace ptosync
