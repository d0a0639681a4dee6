// Syncs where they belong: each kernel of a file synchronised anew, if that is faster and proved right.
//
//   Module --required order--> proposals --augment--> everything at once --reduce--> what is needed, several ways
//     each candidate --text--> verified from nothing, timed --> the best; the input and the pruned input are candidates
//
// Every core section is a matter of its own; one that cannot be synchronised anew keeps what `opt` makes of it and says
// why. What was found is placed again, as another run would, until nothing comes of it (placed_kernel.h). Sound
// because of the verification alone (verification.h). Deterministic unless `seconds` is given; `effort` bounds the
// candidates, and the work of one file is counted (work_limit.h): where it is used up, what was verified stands. Tested by
// tests/synthesis/resync_test.cpp and the golden tests over corpus/.
#pragma once

#include "optimize/decision.h"
#include "synthesis/augmented_kernel.h"
#include "synthesis/outcome.h"
#include "synthesis/verification.h"
#include "timing/estimate.h"

#include <optional>

namespace ptosync::synthesis {

struct ResyncOptions {
  OptimizeOptions optimize;           // maxRemovals: a kernel placed anew is one edit (joined_groups.h)
  replay::Options replay;             // for the verification
  replay::Options timed;              // for the run that is timed
  unsigned effort = 3;                // candidates per kernel, from 1
  std::set<std::int64_t> reservedIds; // never given to a flag
  std::optional<double> seconds;      // after which no search begins or goes on; empty: only work is counted
  bool inputStands = true;            // false: the kernel as it came is no candidate, whatever it takes
};

struct ResyncResult {
  OptimizeResult decisions;
  std::vector<KernelResync> kernels; // as in the module
};

llvm::Expected<ResyncResult> resync(const Module &module, const Machine &machine, const Catalogue &catalogue,
                                    const timing::CostTable &costs, const ResyncOptions &options, const Lift &lift);

} // namespace ptosync::synthesis
