// Reading inputs and writing outputs, all or nothing.
//
// Outputs are written to temporary files beside their targets and renamed at the end, so that a
// failure leaves every target as it was.
#pragma once

#include <llvm/Support/Error.h>

#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Bytes of a regular file. The error says what is wrong with it in words.
llvm::Expected<std::string> readFile(const std::string &path);

/// Writes each (path, text) or none of them.
llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

/// True if both names lead to one file, or would if it existed.
bool sameFile(const std::string &a, const std::string &b);

} // namespace ptosync
