// Whether two texts of a file are the same to one core section, seen without a parse.
//
//   #if defined(__DAV_VEC__) ... #endif   is skipped by the preprocessor of the cube core: what an edit does in there
//                                         changes no token that Clang reads for that section
//
// Compared is every token that may be read for the section: all but those in groups whose condition is the other core's
// macro and nothing else, down to their `#else`, `#elif` or `#endif`. Other conditions are not evaluated: both of their
// arms count. So equal tokens give equal trees, and unequal ones say nothing.
// True means the same; false also where that cannot be told: a text that defines or undefines one of the two macros or
// asks for its own line.
// Tested by tests/frontend/guard/section_tokens_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "kernel/source.h"

namespace ptosync {

/// `section`: Cube or Vec. Of texts that are read with the built-in declarations, which define neither macro.
bool sameInSection(const SourceText &before, const SourceText &after, Section section);

} // namespace ptosync
