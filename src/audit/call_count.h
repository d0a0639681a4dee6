// How often a block runs in every run of a kernel, where that is one number.
// Tested by tests/audit/call_count_test.cpp.
#pragma once

#include "ordering/program.h"

#include <cstdint>
#include <optional>

namespace ptosync {

/// Empty if it depends on the run, or is not known: the block must run in each iteration of each loop around it, and
/// those loops a known number of times.
std::optional<std::int64_t> timesRun(const Program &program, BlockId block);

} // namespace ptosync
