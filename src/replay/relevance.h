// Which variables matter for what a run is made for.
//
// Backwards through assignments, whatever is computed on the way; over-approximate.
// Tested by tests/replay/ways_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <vector>

namespace ptosync::replay {

enum class Matters : std::uint8_t {
  Control,         // which way branches go
  Choices,         // that, and which arms of `a ? b : c` are taken
  ButGlobalMemory, // what is issued, but for places in global memory and scalar operands
  Everything,
};

/// By variable.
std::vector<bool> relevantVariables(const Kernel &kernel, Matters matters);

} // namespace ptosync::replay
