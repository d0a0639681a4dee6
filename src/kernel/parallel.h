// Independent jobs on the processors that there are.
//
// The calling thread takes part: what it has in its caches and its heap is most of a short run (llvm::parallelFor
// leaves it waiting). Jobs share nothing that changes; the order in which they run is not fixed, so each writes a
// result of its own. Tested by tests/kernel/parallel_test.cpp.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>

namespace ptosync {

/// Calls `job(0)` to `job(count - 1)`, each once, `most` of them at a time (0: as many as there are processors);
/// returns when all are done.
void runInParallel(std::size_t count, llvm::function_ref<void(std::size_t)> job, std::size_t most = 0);

} // namespace ptosync
