#include "frontend/read/headers.h"

#include "frontend/frontend.h"
#include "frontend/read/token_stream.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <iterator>

namespace ptosync {

namespace {

constexpr std::string_view kIntegers = R"(
typedef signed char int_least8_t, int_fast8_t;
typedef unsigned char uint_least8_t, uint_fast8_t;
typedef short int_least16_t;
typedef unsigned short uint_least16_t;
typedef int int_least32_t;
typedef unsigned int uint_least32_t;
typedef long int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t, intmax_t, ptrdiff_t;
typedef unsigned long uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t, uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32767 - 1)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX UINT64_MAX
#ifndef NULL
#define NULL __null
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
namespace std {
using ::int8_t, ::int16_t, ::int32_t, ::int64_t, ::uint8_t, ::uint16_t, ::uint32_t, ::uint64_t;
using ::size_t, ::ptrdiff_t, ::intptr_t, ::uintptr_t, ::intmax_t, ::uintmax_t;
typedef decltype(nullptr) nullptr_t;
}
)";

constexpr std::string_view kTensor = R"(
struct ptosync_runtime_buffer { uint64_t addr, size; };
struct ChipTensor {
  ptosync_runtime_buffer buffer;
  uint64_t start_offset;
  int32_t version;
  uint32_t ndims;
  uint32_t shapes[16], strides[16];
};
typedef ChipTensor Tensor;
)";

constexpr std::string_view kIntrinsic = R"(
int32_t get_block_idx(__gm__ int64_t *args);
int32_t get_block_num(__gm__ int64_t *args);
int32_t get_sub_block_id(__gm__ int64_t *args);
int32_t get_sub_block_num(__gm__ int64_t *args);
)";

std::string headerText(std::string_view types, std::string_view body) {
  return "#pragma once\n#include <" + std::string(types) + ">\n" + std::string(body);
}

} // namespace

std::map<std::string, std::string> standardHeaders(std::string_view types) {
  const std::string text = headerText(types, kIntegers);
  std::map<std::string, std::string> headers;
  headers["stdint.h"] = text;
  for (const char *name : {"cstdint", "cstddef", "stddef.h"})
    headers[name] = "#pragma once\n#include <stdint.h>\n";
  return headers;
}

bool hasRuntimeEntry(const TokenStream &file) {
  static constexpr llvm::StringLiteral words[] = {"kernel_entry", "(", "__gm__", "int64_t", "*"};
  std::size_t matched = 0;
  for (const SourceToken &token : file.tokens()) {
    matched = token.text == words[matched] ? matched + 1 : token.text == words[0] ? 1 : 0;
    if (matched == std::size(words))
      return true;
  }
  return false;
}

std::map<std::string, std::string> runtimeHeaders(const TokenStream &file, std::string_view types) {
  if (!hasRuntimeEntry(file))
    return {};
  return {{"tensor.h", headerText(types, kTensor)}, {"intrinsic.h", headerText(types, kIntrinsic)}};
}

bool isHostHeader(llvm::StringRef name) {
  for (const char *prefix : {"acl/",       "runtime/", "hccl/",     "gtest/",          "gmock/",         "experiment/",
                             "toolchain/", "tiling/",  "register/", "graph/",          "exe_graph/",     "external/",
                             "aclnn",      "torch",    "pybind11/", "kernel_operator", "kernel_tiling/", "lib/matmul",
                             "securec.h",  "mpi.h",    "adv_api/",  "platform/",       "ascendc/",       "driver/",
                             "dsmi_",      "ge/",      "op_",       "data_utils",      "test_common.h"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

namespace {

bool isDirectory(const std::string &path) { return llvm::sys::fs::is_directory(path); }
bool isFile(const std::string &path) { return llvm::sys::fs::exists(path); }

/// Names in a directory; those that start with a number by that number, highest first.
std::vector<std::string> namesIn(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    names.push_back(llvm::sys::path::filename(at->path()).str());
  auto number = [](const std::string &name) {
    int value = 0;
    llvm::StringRef rest(name);
    return rest.consumeInteger(10, value) ? -1 : value;
  };
  std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return number(a) != number(b) ? number(a) > number(b) : a < b;
  });
  return names;
}

} // namespace

llvm::Expected<std::vector<std::string>> systemHeaders(const std::string &root) {
  std::vector<std::string> found;
  std::string usr = root + "/usr", base = usr + "/include/c++";
  for (const std::string &version : namesIn(base)) {
    std::string plain = base + "/" + version;
    if (!isFile(plain + "/type_traits"))
      continue;
    found.push_back(plain);
    // Debian: include/TRIPLE/c++/N; Fedora: c++/N/TRIPLE.
    for (const std::string &triple : namesIn(usr + "/include"))
      if (isFile(usr + "/include/" + triple + "/c++/" + version + "/bits/c++config.h"))
        found.push_back(usr + "/include/" + triple + "/c++/" + version);
    for (const std::string &triple : namesIn(plain))
      if (isFile(plain + "/" + triple + "/bits/c++config.h"))
        found.push_back(plain + "/" + triple);
    if (found.size() > 1)
      break;
    found.clear();
  }
  if (found.empty())
    return llvm::make_error<SourceError>(
        "the headers of C++ are not installed: no " + base +
        "/N/type_traits; --pto-include needs them (Debian: apt install libstdc++-12-dev)\n");
  // stddef.h and its kin: Clang's own, or GCC's.
  std::size_t before = found.size();
  for (const char *place : {"/usr/lib/llvm-19/lib/clang", "/usr/lib/clang", "/usr/lib64/clang", "/usr/local/lib/clang"})
    for (const std::string &version : namesIn(root + place)) {
      std::string directory = root + place + "/" + version + "/include";
      if (found.size() == before && isFile(directory + "/stddef.h"))
        found.push_back(directory);
    }
  for (const std::string &triple : namesIn(usr + "/lib/gcc"))
    for (const std::string &version : namesIn(usr + "/lib/gcc/" + triple)) {
      std::string directory = usr + "/lib/gcc/" + triple + "/" + version + "/include";
      if (found.size() == before && isFile(directory + "/stddef.h"))
        found.push_back(directory);
    }
  for (const std::string &triple : namesIn(usr + "/include"))
    if (isDirectory(usr + "/include/" + triple + "/bits") && isFile(usr + "/include/" + triple + "/bits/wordsize.h"))
      found.push_back(usr + "/include/" + triple);
  if (!isFile(usr + "/include/stdint.h"))
    return llvm::make_error<SourceError>(
        "the headers of C are not installed: no " + usr +
        "/include/stdint.h; --pto-include needs them (Debian: apt install libc6-dev)\n");
  found.push_back(usr + "/include");
  return found;
}

} // namespace ptosync
