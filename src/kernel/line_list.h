// Numbers of lines in a row, for sentences.
//
// Tested by tests/kernel/line_list_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

/// "4", "4 and 9", "4, 9, 12 and 14 more": at most `limit` of them, in the order given; one too many is shown all the
/// same, since "and 1 more" is longer.
std::string lineList(const std::vector<std::uint32_t> &lines, std::size_t limit);

} // namespace ptosync
