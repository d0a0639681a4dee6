// The headers beside the library's: which are served from memory, and where this machine keeps the others.
//
// The built-in declarations include the standard's integer types, so a kernel needs no C++ headers on the machine. The
// two headers of the runtime that PyPTO wraps kernels for are served only for a file with that runtime's entry:
// elsewhere a header of the same name may be anything, and must be there to be read. Their names and fields are those
// that some 860 generated wrappers use. They assume no layout, since a wrapper's reads are not analysed
// (kernel_functions.h).
//
// To parse against the library's real headers, those of C++ and C are looked for where Debian, Fedora and their kin put
// them. Nothing is run or written.
//
// Only src/frontend may include this header. Tested by tests/frontend/read/headers_test.cpp.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

class TokenStream;

/// Returns a part of a data file of src/frontend/library, which holds C++ in parts: what stands between the line
/// `//= PART` and the next line that begins with `//=`.
std::string_view headerPart(std::string_view file, std::string_view part);

/// Name and text of `cstdint` and its kin; `types` is the header that declares the types themselves.
std::map<std::string, std::string> standardHeaders(std::string_view types);

/// Returns true if the file defines `kernel_entry(__gm__ int64_t *...)`.
bool hasRuntimeEntry(const TokenStream &file);

/// Name and text of the runtime's headers; none for a file without the runtime's entry.
std::map<std::string, std::string> runtimeHeaders(const TokenStream &file, std::string_view types);

/// Returns true if the name is below `pto/`, where the library's headers are; "pto/../mine.hpp" leads out of it again.
bool isLibraryHeader(llvm::StringRef name);

/// Returns true if the name is one of kHostHeaders: host code alone uses such a header.
bool isHostHeader(llvm::StringRef name);

/// Directories in the order of search: C++, its machine-dependent part, Clang's or GCC's own, C. `root` stands
/// in front of every place looked at ("" but in tests). An error says what to install.
llvm::Expected<std::vector<std::string>> systemHeaders(const std::string &root = "");

} // namespace ptosync
