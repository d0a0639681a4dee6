// The variables that carry values from one iteration of a loop to the next.
//
// A variable is carried by a loop if the loop writes it and some path from the header reads it
// before writing it again. Over-approximate: partial writes (arrays) do not end a value's life.
// Tested by tests/replay/liveness_test.cpp.
#pragma once

#include "replay/loop_nest.h"

#include <vector>

namespace ptosync::replay {

/// By loop, each list ascending.
std::vector<std::vector<VariableId>> carriedVariables(const Kernel &kernel, const LoopNest &nest);

} // namespace ptosync::replay
