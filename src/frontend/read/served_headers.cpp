#include "frontend/read/served_headers.h"

#include "frontend/read/raw_tokens.h"

#include <llvm/ADT/StringRef.h>

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

bool hasRuntimeEntry(const std::string &text) {
  static constexpr llvm::StringLiteral words[] = {"kernel_entry", "(", "__gm__", "int64_t", "*"};
  if (text.find(words[0].str()) == std::string::npos)
    return false; // most files: asked at each parse
  std::size_t matched = 0;
  forEachRawWord(text, [&](llvm::StringRef word) {
    matched = word == words[matched] ? matched + 1 : word == words[0] ? 1 : 0;
    return matched < std::size(words);
  });
  return matched == std::size(words);
}

std::map<std::string, std::string> runtimeHeaders(const std::string &text, std::string_view types) {
  if (!hasRuntimeEntry(text))
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

} // namespace ptosync
