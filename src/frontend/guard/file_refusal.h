// What makes every kernel of a file unreadable, wherever in the file it stands.
//
//   a bound of an array that is computed when it is met    it may stand in any type, also in a cast, a default or a
//                                                          member's initialiser, and calls anything
//   a second name of a function or variable for the linker a call of the one runs the body of the other
//   a function that runs by itself                         before or behind the kernels, which nothing calls
//   assembler text at file scope                           may be all of these
//   a directive that no search by line finds               may select other text in another build
//
// Sound because no kernel of such a file is edited. It does not tell bounds that run work from those that are a plain
// number, nor names that stand for something outside of the file. Headers of the library and of the system are not
// looked at: they are known by what their names do. Tested by tests/frontend/guard/file_refusal_test.cpp.
#pragma once

#include "frontend/read/own_headers.h"

#include <optional>

namespace ptosync {

struct FileRefusal {
  clang::SourceLocation at;
  std::string why;
};

/// Of the main file and the kernel's own headers; empty if their kernels can be read.
std::optional<FileRefusal> fileRefusal(clang::ASTContext &ast, const OwnHeaders &headers);

} // namespace ptosync
