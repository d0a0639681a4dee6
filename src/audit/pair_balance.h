// Counts how many more sets than waits of a pair of pipes a kernel runs through, where every path agrees.
//
// A flag is binary and starts and ends empty, so over all ids of a pair sets and waits come out even, whichever ids a
// run chooses. Where they do not, something is wrong although no single flag can be followed: lanes that arguments
// decide. Exact: says nothing where paths differ, a loop's trips included.
// Tested by tests/audit/pair_balance_test.cpp.
#pragma once

#include "ordering/program.h"

#include <cstdint>
#include <map>
#include <utility>

namespace ptosync {

/// Returns by source and destination pipe how many more sets than waits every path has. A pair has an entry only if all
/// paths end with the same number and it is not 0.
std::map<std::pair<Pipe, Pipe>, std::int64_t> unevenPairs(const Program &program);

} // namespace ptosync
