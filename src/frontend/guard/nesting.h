// Is the text so deeply nested that a recursive parser could run out of stack?
//
// Judged on tokens, before anything recurses: the length of a statement or expression between what separates it from
// its neighbours bounds how deep it can nest, and so does the length of a chain of `else`. Brackets are bounded by the
// parser itself. Emitted kernels stay below a hundredth of the bounds. Tokens that macros make are not counted.
// Tested by tests/frontend/guard/nesting_test.cpp.
#pragma once

#include "kernel/source.h"

#include <llvm/Support/Error.h>

namespace ptosync {

inline constexpr std::size_t kMostTokensOfStatement = 20000;
inline constexpr std::size_t kMostCommas = 200000; // of a statement or a list
inline constexpr std::size_t kMostElses = 2000;

/// A SourceError "FILE:LINE:COLUMN: error: ..." if a bound is exceeded.
llvm::Error checkNesting(const SourceText &source);

} // namespace ptosync
