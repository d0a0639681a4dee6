// Shrinks a kernel that fails: delta debugging over its tree.
//
// Runs of statements are taken out, long ones first, then a loop or a branch gives way to what is in it, helpers go,
// and what is left is made plain (constants for addresses and bounds), as long as the same check fails. A cut that
// takes away something that is still named does not parse: another check fails, so it is undone.
#pragma once

#include "fuzz/fuzz_kernel.h"

#include <functional>

namespace ptosync::fuzz {

/// True if the kernel still fails in the way that is looked for.
using StillFails = std::function<bool(FuzzKernel &)>;

/// A kernel for which `fails` holds, as it does for `kernel`; no single cut of it does.
FuzzKernel reduceKernel(FuzzKernel kernel, const StillFails &fails);

/// Statements, those inside others included.
std::size_t sizeOf(const FuzzKernel &kernel);

} // namespace ptosync::fuzz
