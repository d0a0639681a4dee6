// The kernel that `--resync` makes of a random kernel, as a tree.
//
//   FuzzKernel + text before and behind --lines that went, lines that came--> FuzzKernel --TraceSimulator--> runs
//
// Read off the two texts: a line of the output is one of the input, a sync that was put there, or what is left of one
// that was taken out; comments that the tool writes tell which. Kernels are to be printed with tensors on lines of
// their own, so that nothing shares a line. What is not understood is nothing, and the caller says so.
#pragma once

#include "fuzz/fuzz_kernel.h"

#include <optional>
#include <string>

namespace ptosync::fuzz {

/// Empty if the output is no text of syncs put in and taken out of the input. Statements that came have lines that no
/// statement of the input has.
std::optional<FuzzKernel> resyncedKernel(const FuzzKernel &kernel, const std::string &before, const std::string &after);

} // namespace ptosync::fuzz
