// Reads one pattern file, strictly.
//
//   text --JsonDocument--> nodes --structural checks--> Pattern
//
// The checks are written by hand because their messages have to be good: file, line, JSON pointer, what
// was expected, and the nearest known name. They agree with the published patterns/schema.json, which
// serves editors, and go beyond it where a schema cannot follow: exactly one barrier in a sequence, on
// the pattern's own pipe; no name twice; a tool that is new enough. Whether a pattern's cases come true
// is not looked at here: that takes the whole tool.
// Tested by tests/patterns/pattern_reader_test.cpp and tests/patterns/shipped_patterns_test.cpp.
#pragma once

#include "patterns/pattern.h"
#include "patterns/version.h"

#include <llvm/Support/Error.h>

#include <string_view>

namespace ptosync {

/// Reads a pattern from the text of its file. Messages name `fileName`; `minimumTool` is compared with the version
/// `tool`. The first error ends the reading and is returned, with file, line and what was expected.
llvm::Expected<Pattern> parsePattern(std::string_view json, std::string_view fileName,
                                     std::string_view tool = toolVersion());

/// Reads a pattern that is part of the program (JsonDocument::builtIn). Most of a pattern's text is cases: the build
/// keeps them apart, and they are read only if `cases` has them.
llvm::Expected<Pattern> builtInPattern(std::string_view json, std::string_view fileName, std::string_view cases = {});

} // namespace ptosync
