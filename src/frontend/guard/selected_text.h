// What a condition selects that nobody answers here (conditionals.h): in another build it is another text.
//
// A name, the end of a declaration, a brace, an operator or a pragma that such text brings may change what stands
// anywhere else, and no search sees all the ways. So a file with such text is not edited, but for what is the same
// program whether it is there or not:
//
//   comments, conditions inside it, #error, #warning, a pragma for diagnostics
//   the usual marks of functions and pointers (AICORE, __gm__, ...), defined as nothing, `inline` or `[aicore]`
//   the default of a macro (`#ifndef`, `#define`, `#endif`) that is used nowhere else: emitted kernels have one
//   an include of the library's main header, or of one of the standard that declares types alone or is the host's
//
// The guard around a header is no such condition. A build for a simulator on the host is none, unless the files decide
// it. A macro that builds give several values makes them several programs wherever else it is named. Only src/frontend
// may include this header. Tested by tests/frontend/guard/selected_text_test.cpp.
#pragma once

#include "frontend/read/conditionals.h"

#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// The first text that is there in some builds only, or another in each.
struct SelectedText {
  std::string place;     // "line 7", "helper.h:7"
  std::string condition; // the same of the condition around it; empty: the text names a macro of several values
  std::string macro;     // the first that the condition asks for and not every build answers, or that the text names
  bool ofChip = false;   // builds give it several values
};

/// `files`: of one kernel, each with its name; the first is the main file. Empty if every build has the same program.
std::optional<SelectedText> selectedText(const std::vector<SourceText> &files, KnownMacros known);

} // namespace ptosync
