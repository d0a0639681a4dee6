// Finds FIFO calls that do not match: entries pushed and not popped, slots freed twice, two rings in one place.
//
// What stands here is the count that the rules compare; the rules are in fifo_rules.cpp.
//
// Counts how often a block runs, where that is one number for every run of the kernel. Tested by
// tests/audit/fifo_rules_test.cpp.
#pragma once

#include "ordering/program.h"

#include <cstdint>
#include <optional>

namespace ptosync {

/// Returns how often the block runs; empty if that depends on the run or is not known. The block must run in each
/// iteration of each loop around it, and each of those loops a known number of times.
std::optional<std::int64_t> timesRun(const Program &program, BlockId block);

} // namespace ptosync
