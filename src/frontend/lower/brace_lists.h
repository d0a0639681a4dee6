// Reads the lists of statements of a function's text (kernel/brace_list.h).
//
// Clang gives the statements and their braces; the raw tokens between two statements give the semicolons and the
// pragmas, which no syntax tree has. Only src/frontend may include this header. Tested by
// tests/frontend/lower/brace_lists_test.cpp.
#pragma once

#include "frontend/read/token_stream.h"
#include "kernel/brace_list.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace ptosync {

/// Appends the lists of the function's body, the body first, unless a list with its brace is there. Of a function that
/// a template makes they are the template's. Does nothing for a body that is not a `{ }` of the main file.
void addBraceLists(const clang::FunctionDecl *function, const clang::ASTContext &ast, const TokenStream &file,
                   std::vector<BraceList> &lists);

} // namespace ptosync
