// How deep a text may nest, and the stack that reading it takes.
//
// Parsing and lowering recurse as deep as the kernel nests. checkNesting judges the tokens before anything recurses:
// the number of tokens between two separators bounds how deep a statement or expression can nest, and so does the
// length of a chain of `else`. The parser itself bounds brackets. Emitted kernels stay below a hundredth of the bounds.
// Tokens that macros make are not counted. Beyond a bound there is a message, never a crash. Within the bounds the
// thread that runOnDeepStack starts has stack enough.
//
// Tested by tests/frontend/guard/nesting_test.cpp.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

namespace ptosync {

class TokenStream;

inline constexpr std::size_t kMostTokensOfStatement = 20000;
inline constexpr std::size_t kMostCommas = 200000; // of a statement or a list
inline constexpr std::size_t kMostElses = 2000;

/// Returns a SourceError "FILE:LINE:COLUMN: error: ..." if a bound is exceeded.
llvm::Error checkNesting(const TokenStream &file);

/// Runs `work` on a thread of its own and waits for it, or at once if the caller's stack is as deep. Where the machine
/// does not grant the stack, on a smaller one, in the end on the caller's.
void runOnDeepStack(llvm::function_ref<void()> work);

/// Gives the threads that are started from now on more stack than usual, where the address space is not limited.
void deepenThreads();

} // namespace ptosync
