// Makes a complete kernel file out of the body of a pattern case.
//
// A case of a pattern file holds only the statements that matter; this adds what the assembler
// writes around every kernel: the include, the tail fence helper, one entry function with the
// arguments `v_in`, `v_out` (global memory) and `v_n` (a number). The first line of the body stands
// on line `kCaseFirstLine` of the file, so that a message about the kernel can be led back to the case.
// The body is not looked at: that is the frontend's work.
// Tested by tests/patterns/case_source_test.cpp.
#pragma once

#include "patterns/pattern.h"

#include <string>

namespace ptosync {

/// The line, counted from 1, on which the first line of a case's body stands in the wrapped file.
inline constexpr unsigned kCaseFirstLine = 12;

std::string wrapCase(const PatternCase &patternCase);

} // namespace ptosync
