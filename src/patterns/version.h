// The version of this tool, as pattern files and reports state it.
//
// A pattern file names in `minimumTool` the oldest version that reads it.
// Tested by tests/patterns/pattern_reader_test.cpp.
#pragma once

#include <string_view>

namespace ptosync {

constexpr std::string_view toolVersion() { return "0.1.0"; }

} // namespace ptosync
