// The known name a misspelt one was probably meant to be, for "did you mean" messages.
//
// Nearness is the number of single-character edits. A name that would need to change in more than
// about a third of its characters is no suggestion: a wrong guess is worse than none.
// Tested by tests/json/nearest_name_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// The candidate nearest to `name`, the first of equals; empty if none is near.
std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates);

/// "; did you mean 'operands'?", or, if no candidate is near, "; expected one of 'a', 'b'".
/// Empty if there are no candidates.
std::string suggestName(std::string_view name, const std::vector<std::string> &candidates);

} // namespace ptosync
