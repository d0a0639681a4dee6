// A unified diff applied to the text that it was made from: what `patch` does, without its tolerance.
#pragma once

#include <string>

namespace ptosync::test {

/// The text that `diff` makes of `before`, byte for byte; an empty diff changes nothing. Throws (failing the test)
/// where a line of context or a removed one is not the text's.
std::string applyDiff(const std::string &before, const std::string &diff);

} // namespace ptosync::test
