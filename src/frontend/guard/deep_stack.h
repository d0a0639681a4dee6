// Parsing and lowering recurse as deep as the kernel nests: they run on a thread with a stack for that.
//
// How deep a text may nest is bounded beforehand (nesting.h), so that the stack suffices; beyond the bound there is a
// message, never a crash. Tested by tests/frontend/guard/nesting_test.cpp.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace ptosync {

/// Runs `work` on a thread of its own and waits for it, or at once if the caller's stack is as deep. Where the machine
/// does not grant the stack, on a smaller one, in the end on the caller's.
void runOnDeepStack(llvm::function_ref<void()> work);

/// Gives the threads that are started from now on more stack than usual, where the address space is not limited.
void deepenThreads();

} // namespace ptosync
