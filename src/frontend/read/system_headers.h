// Where this machine keeps the headers of C++ and C, for parsing against the library's real headers.
//
// Looked for in the places where Debian, Fedora and their kin put them; nothing is run. Free of writes.
// Tested by tests/frontend/read/system_headers_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace ptosync {

/// Directories in the order of search: C++, its machine-dependent part, Clang's or GCC's own, C. `root` stands
/// in front of every place looked at ("" but in tests). An error says what to install.
llvm::Expected<std::vector<std::string>> systemHeaders(const std::string &root = "");

} // namespace ptosync
