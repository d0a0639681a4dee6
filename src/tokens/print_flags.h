// The flags of a kernel for a reader: webs, where each flag is set, and which event ids are free.
// Tested by tests/tokens/print_flags_test.cpp.
#pragma once

#include "ordering/program.h"

#include <string>
#include <vector>

namespace ptosync {

std::string printFlags(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                       const std::vector<SyncSite> &sites);

} // namespace ptosync
