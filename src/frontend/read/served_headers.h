// Headers that a kernel names beside the library's, and that are served where they are not found.
//
// The integer types of the standard: the built-in declarations have them, so that a kernel needs no C++ headers on the
// machine. The two headers of the runtime that PyPTO wraps kernels for: what an entry of the argument list looks like.
// Those are served for a file with that runtime's entry only: elsewhere a header of the same name may be anything, and
// a header that may be anything must be there to be read. The names and fields are those that generated wrappers use
// (read off some 860 of them); no layout is assumed, since a wrapper's reads are not analysed (entry_wrapper.h).
// Only src/frontend may include this header. Tested by tests/frontend/read/served_headers_test.cpp.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <map>
#include <string>
#include <string_view>

namespace ptosync {

/// Name and text of `cstdint` and its kin; `types` is the header that declares the types themselves.
std::map<std::string, std::string> standardHeaders(std::string_view types);

/// True if the text defines `kernel_entry(__gm__ int64_t *...)`.
bool hasRuntimeEntry(const std::string &text);

/// Name and text of the runtime's headers; none for a file without the runtime's entry.
std::map<std::string, std::string> runtimeHeaders(const std::string &text, std::string_view types);

/// Headers of the host's runtime, of the vendor's other libraries and of test frameworks: no kernel needs them.
bool isHostHeader(llvm::StringRef name);

} // namespace ptosync
