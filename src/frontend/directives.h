// Reading the comments that speak to the tool.
//
// A directive nobody understands is an error, never a comment: `// ptosync: kepp(x)` was meant to keep something.
// Accepted: capitals, blanks around the colon, and for a keep `keep`, `keep(reason)`, `keep (reason)`,
// `keep: reason`, `keep reason`, in either form of comment. Comments are found by Clang's lexer, so a string that
// looks like one is none. In the middle of a comment only a known word, or one close to it, counts; elsewhere the
// tool's name is prose. Tested by tests/frontend/directives_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "kernel/source.h"

#include <llvm/Support/Error.h>

#include <vector>

namespace ptosync {

/// By position. The error is a SourceError: "FILE:LINE:COLUMN: error: ..." for each that is not understood.
llvm::Expected<std::vector<Directive>> readDirectives(const SourceText &source);

} // namespace ptosync
