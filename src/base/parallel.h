// Independent jobs on the processors that there are.
//
// The calling thread takes part: its caches and its heap hold most of what a short run needs, and llvm::parallelFor
// would leave it waiting. Jobs share nothing that changes. The order in which they run is not fixed, so each job writes
// a result of its own. Tested by tests/base/parallel_test.cpp.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstddef>

namespace ptosync {

/// Calls `job(0)` to `job(count - 1)`, each once, `most` of them at a time (0: as many as there are processors);
/// returns when all are done.
void runInParallel(std::size_t count, llvm::function_ref<void(std::size_t)> job, std::size_t most = 0);

} // namespace ptosync
