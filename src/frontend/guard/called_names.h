// Which functions from outside the file a kernel file calls, wherever it calls them.
//
// Independent of the lowering: a kernel that is given up half way has been seen here as a whole. A function that the
// file defines itself is none of the library's, whatever its name. Calls through pointers are not seen.
// Tested by tests/frontend/guard/called_names_test.cpp.
#pragma once

#include "frontend/read/own_headers.h"
#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>

#include <map>
#include <string>

namespace ptosync {

/// What bodies of the file's own headers call counts where the file calls them.
/// Name -> line of the first call; barriers with their pipe, as in CalledName.
std::map<std::string, std::uint32_t> findCalledNames(clang::ASTContext &ast, const SourceText &source,
                                                     const OwnHeaders &headers);

} // namespace ptosync
