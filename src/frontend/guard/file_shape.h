// The structure of a file's text without its syncs: what an edit of syncs must leave as it was.
//
// Every function of the file (kernels, helpers, functions that nobody calls, all template instances, both core
// sections) as the tree of its statements and expressions, with types, names and values. Statements that are syncs and
// empty statements are left out, and so is a branch on variables and numbers that decides about nothing else: two texts
// which differ by edits of syncs alone have one shape. An edit that makes the next statement the body of an `if`, the
// value of a statement expression or the target of a label has not.
// Tested by tests/frontend/guard/file_shape_test.cpp.
#pragma once

#include "frontend/frontend.h"

#include <map>

namespace clang {
class ASTContext;
}

namespace ptosync {

/// By function: its name with its type and template arguments, and a number if several have that.
using FileShape = std::map<std::string, std::string>;

/// Of a file that is parsed already: what `fileShape` gives for its text.
FileShape shapeOf(clang::ASTContext &ast);
llvm::Expected<FileShape> fileShape(const SourceText &source, Section section, const FrontendOptions &options);

/// The functions whose shapes differ, or that one of the two lacks.
std::vector<std::string> differingFunctions(const FileShape &before, const FileShape &after);

} // namespace ptosync
