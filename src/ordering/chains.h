// Def/use chains per pipe, as text: `ptosync opt --print=chains`.
//
// For each access of each pipe, in order: its producers (whom it must wait for), nearest first, and what
// orders each of them, and its consumers, up to what overwrites the bytes (chain_links.h).
// Tested by tests/ordering/chains_test.cpp.
#pragma once

#include "machine/machine.h"
#include "ordering/program.h"

#include <string>

namespace ptosync {

std::string printChains(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

} // namespace ptosync
