// What a kernel's integer arguments decide: the way it goes, sizes, or places alone.
//
// Through assignments, whatever is computed on the way; over-approximate. A place that arguments decide alone is
// any place (Inputs::open): the runs need not try their numbers.
// Tested by tests/replay/argument_flow_test.cpp.
#pragma once

#include "replay/interpreter.h"

#include <set>

namespace ptosync::replay {

/// Numbers of the arguments that the kernel's branches depend on.
std::set<std::uint32_t> controlArguments(const Kernel &kernel);

/// Numbers of the integer arguments that decide nothing but addresses: no branch, flag, choice, shape, stride or valid
/// region, and nothing that a loop carries on. Pointers are none.
std::set<std::uint32_t> placeArguments(Subject &subject);

} // namespace ptosync::replay
