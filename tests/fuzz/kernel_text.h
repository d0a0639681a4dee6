// What two spellings of one kernel have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync::fuzz {

/// The text without comments and white space.
std::string bareText(const std::string &text);

/// By line, from 1: the number of lines up to it that hold something other than one sync statement.
/// Edits of syncs leave the number of an instruction as it is, whatever happens to its line.
std::vector<std::uint32_t> instructionNumbers(const std::string &text);

} // namespace ptosync::fuzz
