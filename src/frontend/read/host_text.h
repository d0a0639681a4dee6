// Host code beside the kernels, and the errors that are its own.
//
// With the library's real headers a file is more than its kernels: launchers, checks, tests' own output, which want
// headers that are not there. What the parser cannot read of them is no kernel's. A function counts as the host's if
// neither `__global__` nor `AICORE` marks it, and it is no `constexpr`; files without any such mark have none. A broken
// body must end at the brace that matches its first one in the text: otherwise it may have swallowed what follows.
// An error outside of such bodies stays an error. A broken function is invalid afterwards: a kernel that calls it all
// the same is given up, since its body cannot be followed. What it might have launched is not known: the caller must
// not let anything of the file be edited. Only src/frontend may include this header. Tested by
// tests/frontend/read/host_text_test.cpp.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

/// True if one of the function's declarations carries `annotate(mark)`.
bool hasMark(const clang::FunctionDecl *function, llvm::StringRef mark);

/// True for a function of the chip: marked `__global__` or `AICORE`.
bool isMarked(const clang::FunctionDecl *function);

/// True if every offset lies in the body of a host function of the main file, whose text is `text`; these functions are
/// invalid then. False: nothing was changed.
bool breakHostFunctions(clang::ASTContext &ast, const std::string &text, const std::vector<std::uint32_t> &errors);

/// True for what breakHostFunctions made invalid, and for instances of it.
bool isBrokenFunction(const clang::FunctionDecl *function);

} // namespace ptosync
