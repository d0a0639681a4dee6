// Reading inputs and writing outputs, all or nothing.
//
// Regular files are written to temporary files beside their targets and renamed at the end, so that a failure leaves
// every target as it was. A link stays, what it leads to is replaced. What is no regular file is never replaced:
// character devices, FIFOs and the process's own descriptors (/dev/stderr, /dev/fd/3) are written through, block
// devices, sockets, directories and read-only files are refused. Tested by tests/tool/files_test.cpp and
// tests/scripts/misuse_test.sh.
#pragma once

#include <llvm/Support/Error.h>

#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// The largest input that is read; kernels are some hundred kilobytes.
inline constexpr std::size_t kLargestInput = std::size_t(64) << 20;

/// All bytes of a file, a FIFO or a device, up to kLargestInput. The error says what is wrong with it in words.
llvm::Expected<std::string> readFile(const std::string &path);

/// Writes each (path, text) or none of the regular files among them. What is written through goes first.
llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

/// True if both names lead to one regular file, or would if it existed.
bool sameFile(const std::string &a, const std::string &b);

/// True if the name is another one for standard output: /dev/stdout, /dev/fd/1, /proc/self/fd/1.
bool namesStandardOutput(const std::string &path);

/// Makes the end of the process report what was not written to standard output: exit code 2 with a message, or the
/// quiet end by SIGPIPE that other tools have if the reader is gone.
void guardStandardOutput();

} // namespace ptosync
