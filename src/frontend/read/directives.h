// Reads the comments that speak to the tool.
//
//   // ptosync: keep(the board needs it)     the sync on this line, or on the next one, stays
//   // ptosync: assume(v6 >= 0 && v6 < 48)   what holds of the arguments of the kernel that it stands in
//
// A directive that nobody understands is an error, never a comment: `// ptosync: kepp(x)` was meant to keep something.
// Capitals and blanks around the colon are accepted, and for a keep `keep`, `keep(reason)`, `keep (reason)`,
// `keep: reason` and `keep reason`, in either form of comment. A string that looks like a comment is none. In the
// middle of a comment only a known word, or one close to it, counts; elsewhere the tool's name is prose.
//
// Tested by tests/frontend/read/directives_test.cpp.
#pragma once

#include "kernel/source.h"

#include <llvm/Support/Error.h>

#include <vector>

namespace ptosync {

class TokenStream;

/// Returns the directives by position. The error is a SourceError with a line "FILE:LINE:COLUMN: error: ..." for each
/// that is not understood.
llvm::Expected<std::vector<Directive>> readDirectives(const TokenStream &file);
llvm::Expected<std::vector<Directive>> readDirectives(const SourceText &source);

} // namespace ptosync
