// Decides every sync site of a module: which barriers go, and why each other stays.
//
//   Module --buildProgram--> Programs --Pending--> trials in a fixed order --> decisions
//
// Patterns nominate, the pending analysis decides: a nominated barrier goes only if no conflict
// and no order relative to an opaque fence is lost in any kernel that runs through it, with all
// earlier removals applied. Order: PIPE_ALL first, then from the deepest loop out, ties by
// position; so the result is deterministic and running on the output changes nothing.
// Flags (set_flag, wait_flag) are analysed and reported, never edited here.
// Tested by tests/optimize/optimizer_test.cpp and the golden tests over corpus/.
#pragma once

#include "machine/machine.h"
#include "optimize/decision.h"
#include "ordering/program.h"
#include "patterns/catalogue.h"

#include <optional>
#include <set>

namespace ptosync {

struct OptimizeOptions {
  OrderingOptions ordering;
  std::optional<std::size_t> maxRemovals;
  std::set<std::uint32_t> lines; // empty: all
};

OptimizeResult optimize(const Module &module, const Machine &machine, const Catalogue &catalogue,
                        const OptimizeOptions &options);

} // namespace ptosync
