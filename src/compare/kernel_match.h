// Finds for each kernel of one file the same kernel in the other: by name and core, then by the order of what is left.
//
// What is left over is paired in its order, core by core, only if both do much the same kinds of instructions: an
// assembler may name kernels anew, but two files may also hold different kernels. Tested by
// tests/compare/kernel_match_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <vector>

namespace ptosync::compare {

struct KernelPair {
  const Kernel *a = nullptr, *b = nullptr; // one may be missing
};

/// Returns every kernel once: those of `a` in their order, each with its partner or alone, then those that `b` alone
/// has.
std::vector<KernelPair> matchKernels(const Module &a, const Module &b);

} // namespace ptosync::compare
