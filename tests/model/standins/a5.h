// Stand-ins for the a5's intrinsics: vector functions (a5_vector.h), and transfers between UB and global memory.
//
// Functions that run as threads, and those of the cube core that a5_cube.h does not describe, are only declared: a call that
// reaches one says so in its record.
#pragma once

#include "control.h"

#include "a5_cube.h"
#include "a5_vector.h"

#define CCE_VL 256
#define __simd_vf__
#define __simt_vf__
#define __simt_callee__
#define __no_simd_vf_fusion__
#define __ssbuf__
#define __cce_simd
#define LAUNCH_BOUND(threads)

struct float8_e5m2_t { std::uint8_t bits; };
struct float8_e4m3_t { std::uint8_t bits; };
struct float8_e8m0_t { std::uint8_t bits; };
struct hifloat8_t { std::uint8_t bits; };
struct float4_e1m2x2_t { std::uint8_t bits; };
struct float4_e2m1x2_t { std::uint8_t bits; };
struct hifloat4x2_t { std::uint8_t bits; };

struct ThreadIndex { unsigned x = 0, y = 0, z = 0; };
inline ThreadIndex threadIdx, blockDim;
namespace cce {
struct dim3 {
  template <typename... N> constexpr dim3(N...) {}
};
// What the threads touch depends on data and is not seen; that the pipe runs them is.
template <auto Function, typename... A> void async_invoke(A...) { recorder::access("PIPE_V", "threads", {}); }
template <typename... A> void async_invoke(A...) { recorder::access("PIPE_V", "threads", {}); }
} // namespace cce
template <typename T, typename V> T atomicAdd(T *, V) { return T{}; }
template <typename T, typename V> T atomicMax(T *, V) { return T{}; }
template <typename T, typename V> T atomicMin(T *, V) { return T{}; }

// Rounding as types.
struct RoundRType {};
struct RoundAType {};
struct RoundFType {};
struct RoundCType {};
struct RoundZType {};
struct RoundOType {};
struct RoundHType {};

#define REGISTER(name) template <typename... Values> void name(Values...) {}
REGISTER(set_vector_mask) REGISTER(set_fmatrix) REGISTER(set_fmatrix_b) REGISTER(set_mask_count)
REGISTER(set_mask_norm) REGISTER(set_loop_size_outtol1) REGISTER(set_loop1_stride_outtol1) REGISTER(set_loop2_stride_outtol1)
#undef REGISTER
#define UNSEEN(name) template <typename... A> void name(A...) { recorder::unknown(#name); }
UNSEEN(load_cbuf_to_ca_mx) UNSEEN(load_cbuf_to_cb_mx) UNSEEN(load_cbuf_to_ca_s4)
UNSEEN(load_cbuf_to_cb_s4) UNSEEN(img2colv2_cbuf_to_ca) UNSEEN(img2colv2_cbuf_to_cb) UNSEEN(mad_mx) 

UNSEEN(copy_gm_to_cbuf_multi_dn2nz)
#undef UNSEEN

namespace a5 {

/// Two loops around a transfer: how often, and how far each goes on either side.
struct Loops {
  std::uint64_t size = 1 << 21 | 1, steps[2] = {0, 0}; // steps: of the inner one, of the outer one
};
inline Loops &loopsIn() {
  static Loops value;
  return value;
}
inline Loops &loopsOut() {
  static Loops value;
  return value;
}

/// Rows of bytes. `unit`: what a row in UB is filled up to. The steps of the loops: that of global memory in the lower 40 bits.
inline void transfer(const char *pipe, const char *name, const Loops &loops, bool in, std::uint64_t gm, std::uint64_t ub,
                     std::uint64_t rows, std::uint64_t length, std::uint64_t gmStep, std::uint64_t ubStep,
                     Space local = Space::UB) {
  const std::uint64_t low = (std::uint64_t{1} << 40) - 1;
  std::uint64_t inner = loops.size & 0x1fffff, outer = loops.size >> 21 & 0x1fffff;
  for (std::uint64_t i = 0; i < outer; ++i)
    for (std::uint64_t j = 0; j < inner; ++j)
      for (std::uint64_t row = 0; row < rows; ++row) {
        std::uint64_t atGm = gm + i * (loops.steps[1] & low) + j * (loops.steps[0] & low) + row * gmStep;
        std::uint64_t atUb = ub + i * (loops.steps[1] >> 40) + j * (loops.steps[0] >> 40) + row * ubStep;
        std::uint64_t filled = in ? (length + 31) / 32 * 32 : length;
        recorder::access(pipe, name, {{!in, Space::GM, atGm, atGm + length}, {in, local, atUb, atUb + filled}});
      }
}

} // namespace a5

inline void set_loop_size_outtoub(std::uint64_t size) { a5::loopsIn().size = size; }
inline void set_loop1_stride_outtoub(std::uint64_t steps) { a5::loopsIn().steps[0] = steps; }
inline void set_loop2_stride_outtoub(std::uint64_t steps) { a5::loopsIn().steps[1] = steps; }
inline void set_loop_size_ubtoout(std::uint64_t size) { a5::loopsOut().size = size; }
inline void set_loop1_stride_ubtoout(std::uint64_t steps) { a5::loopsOut().steps[0] = steps; }
inline void set_loop2_stride_ubtoout(std::uint64_t steps) { a5::loopsOut().steps[1] = steps; }

template <typename D, typename A>
void copy_gm_to_ubuf_align_v2(D *d, A *a, int, std::uint64_t rows, std::uint64_t length, int, int, bool, int, std::uint64_t gmStep, std::uint64_t ubStep) {
  a5::transfer("PIPE_MTE2", "copy_gm_to_ubuf_align_v2", a5::loopsIn(), true, recorder::at(a), recorder::at(d), rows, length, gmStep, ubStep);
}
template <typename D, typename A>
void copy_gm_to_cbuf_align_v2(D *d, A *a, int, std::uint64_t rows, std::uint64_t length, int, int, bool, int, std::uint64_t gmStep, std::uint64_t l1Step) {
  a5::transfer("PIPE_MTE2", "copy_gm_to_cbuf_align_v2", a5::Loops(), true, recorder::at(a), recorder::at(d), rows, length, gmStep, l1Step, a5::Space::L1);
}
template <typename D, typename A>
void copy_ubuf_to_gm_align_v2(D *d, A *a, int, std::uint64_t rows, std::uint64_t length, int, std::uint64_t gmStep, std::uint64_t ubStep) {
  a5::transfer("PIPE_MTE3", "copy_ubuf_to_gm_align_v2", a5::loopsOut(), false, recorder::at(d), recorder::at(a), rows, length, gmStep, ubStep);
}
/// Lengths and gaps in blocks.
template <typename D, typename A>
void copy_ubuf_to_ubuf(D *d, A *a, std::uint64_t rows, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::uint64_t from = recorder::at(a) + row * (length + aGap) * 32, to = recorder::at(d) + row * (length + dGap) * 32;
    recorder::access("PIPE_V", "copy_ubuf_to_ubuf", {{false, a5::Space::UB, from, from + length * 32}, {true, a5::Space::UB, to, to + length * 32}});
  }
}

/// Sorting works on memory, as on the a3: 32 values with their indices become 32 pairs of eight bytes.
template <typename T, typename I> void vbitsort(T *d, T *a, I *index, std::uint64_t n) {
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    std::uint64_t from = recorder::at(a) + repeat * 32 * sizeof(T), with = recorder::at(index) + repeat * 128, to = recorder::at(d) + repeat * 256;
    recorder::access("PIPE_V", "vbitsort",
                     {{false, a5::Space::UB, from, from + 32 * sizeof(T)}, {false, a5::Space::UB, with, with + 128}, {true, a5::Space::UB, to, to + 256}});
  }
}
template <typename T> void vmrgsort4(T *d, T **lists, std::uint64_t counts, std::uint64_t config) {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (config >> (8 + i) & 1)
      total += (counts >> (16 * i) & 0xffff) * 8;
  for (std::uint64_t repeat = 0; repeat < (config & 0xff); ++repeat) {
    a5::Pieces pieces;
    for (unsigned i = 0; i < 4; ++i)
      if (config >> (8 + i) & 1) {
        std::uint64_t from = recorder::at(lists[i]) + repeat * total;
        recorder::add(pieces, false, a5::Space::UB, from, from + (counts >> (16 * i) & 0xffff) * 8);
      }
    std::uint64_t to = recorder::at(d) + repeat * total;
    recorder::add(pieces, true, a5::Space::UB, to, to + total);
    recorder::access("PIPE_V", "vmrgsort4", pieces);
  }
}
