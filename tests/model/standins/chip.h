// The words of the chip's compiler, for a host compiler: qualifiers, types, enumerations.
//
// Address spaces are dropped: an intrinsic says by its name which memories it works on. `half` is the compiler's own
// _Float16, bfloat16_t its __bf16. Included before any header of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

typedef _Float16 half;

#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __sync_noalias__
#define __aicore__
#define __global__
#define __tf__
#define __in__
#define __out__
#define __cce_get_tile_ptr(x) (x)

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum class cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_L1 };
enum pad_t { PAD_NONE };
enum Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum va_reg_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
enum QuantMode_t {
  NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, QF322F16_PRE, VQF322F16_PRE, QF322BF16_PRE,
  VQF322BF16_PRE, QF322F32_PRE, VQF322F32_PRE, QF322FP8_PRE, VQF322FP8_PRE, QF322HIF8_PRE, VQF322HIF8_PRE,
  QS322BF16_PRE, VQS322BF16_PRE, REQ8, VREQ8, SHIFTS322S16, VSHIFTS322S16
};
enum atomic_type_t { ATOMIC_NONE, ATOMIC_S32 };
enum atomic_op_t { ATOMIC_SUM };
namespace __cce_scalar {
enum addr_cal_mode_t { INC_MODE, DEC_MODE };
}

inline const char *pipeName(int pipe) {
  static const char *const kNames[] = {"PIPE_S",   "PIPE_V",    "PIPE_M",    "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3",
                                       "PIPE_ALL", "PIPE_MTE4", "PIPE_MTE5", "PIPE_V2",   "PIPE_FIX"};
  return kNames[pipe];
}

template <typename A, typename B> constexpr auto max(A a, B b) { return a < b ? std::common_type_t<A, B>(b) : std::common_type_t<A, B>(a); }
template <typename A, typename B> constexpr auto min(A a, B b) { return b < a ? std::common_type_t<A, B>(b) : std::common_type_t<A, B>(a); }

// The library's own types: they come in full only with both of these set, and half and bfloat16_t are ours.
#define __COSTMODEL
#define __CCE_AICORE__ 1
#define bfloat16_t bfloat16_placeholder
#include <pto/common/type.hpp>
#undef bfloat16_t
#undef __COSTMODEL
#undef __CCE_AICORE__
typedef __bf16 bfloat16_t;
