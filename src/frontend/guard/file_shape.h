// Whether two texts of a file differ in their syncs alone, and whether one core section can tell them apart.
//
// A *shape* is the structure of a text without its syncs: what an edit of syncs must leave as it was. It holds every
// function of the file (kernels, helpers, functions that nobody calls, all template instances, both core sections) as
// the tree of its statements and expressions, with types, names and values. It leaves out statements that are syncs,
// empty statements, and a branch on variables and numbers that decides about nothing else. So two texts that differ by
// edits of syncs alone have one shape. An edit that makes the next statement the body of an `if`, the value of a
// statement expression or the target of a label changes it. What stands around the functions (constants, types, macros,
// defaults, headers) counts token by token.
//
// sameInSection needs no parse. The preprocessor of one core skips the other core's text:
//
//   #if defined(__DAV_VEC__) ... #endif   an edit in here changes no token that Clang reads for the cube core
//
// It compares every token that may be read for the section: all except those in groups whose condition is the other
// core's macro and nothing else, down to their `#else`, `#elif` or `#endif`. Other conditions are not evaluated, so
// both of their arms count. Equal tokens give equal trees; unequal ones say nothing. True means the same. False also
// means that it cannot be told: a text defines or undefines one of the two macros, or asks for its own line.
//
// Tested by tests/frontend/guard/file_shape_test.cpp.
#pragma once

#include "frontend/frontend.h"
#include "kernel/kernel.h"
#include "kernel/source.h"

#include <map>

namespace ptosync {

class SyntaxUnit;
class TokenStream;

/// `section`: Cube or Vec. Of texts that are read with the built-in declarations, which define neither macro.
bool sameInSection(const SourceText &before, const SourceText &after, Section section);

/// By function: its name with its type and template arguments, and a number if several have that. One more entry,
/// kAroundBodies, has the tokens that are read and stand in no body of a function, and those of the file's own headers.
inline constexpr const char *kAroundBodies = "the text around the functions";
using FileShape = std::map<std::string, std::string>;

/// Returns what `fileShape` gives for the text of a file that is parsed already.
FileShape shapeOf(SyntaxUnit &unit, const TokenStream &file);
llvm::Expected<FileShape> fileShape(const SourceText &source, Section section, const FrontendOptions &options);

/// Returns the functions whose shapes differ, or that one of the two lacks.
std::vector<std::string> differingFunctions(const FileShape &before, const FileShape &after);

} // namespace ptosync
