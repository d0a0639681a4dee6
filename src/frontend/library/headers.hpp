// Headers that are served where they are not found (read/headers.h), in parts as in prelude.hpp.

//= integers

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
//= tensor.h

struct ptosync_runtime_buffer { uint64_t addr, size; };
struct ChipTensor {
  ptosync_runtime_buffer buffer;
  uint64_t start_offset;
  int32_t version;
  uint32_t ndims;
  uint32_t shapes[16], strides[16];
};
typedef ChipTensor Tensor;
//= intrinsic.h

int32_t get_block_idx(__gm__ int64_t *);
int32_t get_block_num(__gm__ int64_t *);
int32_t get_sub_block_id(__gm__ int64_t *);
int32_t get_sub_block_num(__gm__ int64_t *);
//=
// What every skipped header is replaced by.
//= host
#pragma once
using aclFloat16 = unsigned short;
typedef void *aclrtStream;
//=
// A header of the kernel's own would bring the standard's that host code beside the kernel uses.
//= own
#pragma once
#include <iostream>
//=
// Another header of the library.
//= library
#pragma once
#include "pto/pto-inst.hpp"
