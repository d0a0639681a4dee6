// What stands against a whole file: kernels that cannot be read, and text that is another program in another build.
//
// fileRefusal: no kernel of the file can be read, wherever in the file this stands.
//
//   a bound of an array that is computed when it is met    it may stand in any type, also in a cast, a default or a
//                                                          member's initialiser, and calls anything
//   a second name of a function or variable for the linker a call of one runs the body of the other
//   a weak function with a body                            the linker may take another one
//   a function that runs by itself                         before or behind the kernels, and nothing calls it
//   assembler text at file scope                           may be all of these
//   a directive that no search by line finds               may select other text in another build
//   the size or a trait of a class of the library          the built-in declaration has another
//   a template that a name of the library chooses          the built-in declarations do not have all of its names
//
// It does not tell bounds that run work from plain numbers, nor names that stand for something outside of the file.
// Headers of the library and of the system are not looked at: what their names do is known.
//
// selectedText: the file may not be edited, because a condition selects text that not every build has (conditions.h).
// A name, the end of a declaration, a brace, an operator or a pragma in such text may change what stands anywhere else,
// and no search sees all the ways. The file may be edited only if such text is the same program whether it is there or
// not:
//
//   comments, conditions inside it, #error, #warning, a pragma for diagnostics
//   the usual marks of functions and pointers (AICORE, __gm__, ...), defined as nothing, `inline` or `[aicore]`
//   the default of a macro (`#ifndef`, `#define`, `#endif`) that is used nowhere else: emitted kernels have one
//   an include of the library's main header, or of a standard header that declares types alone or is the host's
//
// The guard around a header is no such condition. A build for a simulator on the host is none, unless the files decide
// it. A macro to which builds give several values makes the file several programs wherever else it is named.
//
// Only src/frontend may include this header. Tested by tests/frontend/guard/file_refusal_test.cpp.
#pragma once

#include "frontend/read/conditions.h"
#include "frontend/read/origin.h"

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
std::optional<SelectedText> selectedText(const std::vector<TokenStream> &files, KnownMacros known);

struct FileRefusal {
  clang::SourceLocation at;
  std::string why;
};

/// Looks at the main file and the kernel's own headers; returns nothing if their kernels can be read.
std::optional<FileRefusal> fileRefusal(clang::ASTContext &ast, const OwnHeaders &headers);

} // namespace ptosync
