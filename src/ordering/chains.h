// Def/use chains per pipe, as text: `ptosync opt --print=chains`.
//
// For each access of each pipe, in order: its nearest producers (whom it must wait for) and what
// orders each of them, and its nearest consumers. For reading, not for deciding: the nearest
// conflicting instruction on each path stands for those behind it.
// Tested by tests/ordering/chains_test.cpp.
#pragma once

#include "machine/machine.h"
#include "ordering/program.h"

#include <string>

namespace ptosync {

std::string printChains(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

} // namespace ptosync
