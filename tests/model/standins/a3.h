// Stand-ins for the a3's intrinsics: which bytes each one reads and writes, repeat by repeat, on which pipe.
//
// Of a vector intrinsic with several operands element i of repeat r lies at
//   base + r * repeatStride * 32 + (i / elementsPerBlock) * blockStride * 32 + (i % elementsPerBlock) * size,
// and a repeat has 256 bytes of its widest operand. The mask says which elements take part (normal mode), or how many
// there are over all repeats (counter mode). Assumptions where no source says it are at the intrinsic.
// Not seen: addresses that depend on data (the table of a gather).
#pragma once

#include "control.h"
#include "cube.h"

#include <map>

namespace a3 {

using recorder::Pieces;
using recorder::Space;

constexpr std::uint64_t kBlock = 32, kRepeat = 256;

/// The mask registers and what hangs on them.
struct VectorState {
  bool counter = false;
  std::uint64_t high = ~0ull, low = ~0ull;
  std::uint64_t compareAddress = 0;               // where set_cmpmask found the address of a mask
  std::uint64_t registers[8][8] = {};             // VA0..VA7
  std::map<std::uint64_t, std::uint64_t> filled;  // first byte written by vector_dup -> value
};
inline VectorState &state() {
  static VectorState value;
  return value;
}

struct Operand {
  std::uint64_t base, size, blockStride, repeatStride; // strides in blocks
  bool write;
  std::uint64_t element(std::uint64_t repeat, std::uint64_t i) const {
    std::uint64_t perBlock = kBlock / size;
    return base + (repeat * repeatStride + i / perBlock * blockStride) * kBlock + i % perBlock * size;
  }
};

/// Elements of each repeat that take part: calls `visit(repeat, elements)`, `elements` as a list of indices.
template <typename Visit> void eachRepeat(std::uint64_t repeats, std::uint64_t perRepeat, Visit visit) {
  const VectorState &now = state();
  std::vector<std::uint64_t> elements;
  if (now.counter) {
    std::uint64_t left = now.low;
    for (std::uint64_t repeat = 0; left > 0; ++repeat) {
      elements.clear();
      for (std::uint64_t i = 0; i < perRepeat && i < left; ++i)
        elements.push_back(i);
      left -= elements.size();
      visit(repeat, elements);
    }
    return;
  }
  for (std::uint64_t i = 0; i < perRepeat; ++i)
    if ((i < 64 ? now.low >> i : now.high >> (i - 64)) & 1)
      elements.push_back(i);
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat)
    visit(repeat, elements);
}

inline std::uint64_t widest(std::initializer_list<Operand> operands) {
  std::uint64_t size = 2; // bytes work in pairs: a mask has 128 bits
  for (const Operand &operand : operands)
    size = operand.size > size ? operand.size : size;
  return size;
}

inline void vector(const char *name, std::uint64_t repeats, std::initializer_list<Operand> operands) {
  eachRepeat(repeats, kRepeat / widest(operands), [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    Pieces pieces;
    for (const Operand &operand : operands)
      for (std::uint64_t i : elements)
        recorder::add(pieces, operand.write, Space::UB, operand.element(repeat, i), operand.element(repeat, i) + operand.size);
    recorder::access("PIPE_V", name, pieces);
  });
}

template <typename T> Operand reads(T *p, std::uint64_t block, std::uint64_t repeat) {
  return {recorder::at(p), sizeof(T), block, repeat, false};
}
template <typename T> Operand writes(T *p, std::uint64_t block, std::uint64_t repeat) {
  return {recorder::at(p), sizeof(T), block, repeat, true};
}

/// Reads whole repeats, writes `bytes(active elements)` of each to consecutive places `step` bytes apart.
template <typename Bytes>
void reduction(const char *name, std::uint64_t dst, std::uint64_t repeats, std::uint64_t step, Operand src, Bytes bytes) {
  eachRepeat(repeats, kRepeat / src.size, [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    Pieces pieces;
    for (std::uint64_t i : elements)
      recorder::add(pieces, false, Space::UB, src.element(repeat, i), src.element(repeat, i) + src.size);
    recorder::add(pieces, true, Space::UB, dst + repeat * step, dst + repeat * step + bytes(elements));
    recorder::access("PIPE_V", name, pieces);
  });
}

/// Rows of bytes from one memory to another.
struct Burst {
  Space from, to;
  std::uint64_t src, dst, count, readBytes, writeBytes, srcStep, dstStep;
};
inline void copy(const char *pipe, const char *name, const Burst &burst) {
  for (std::uint64_t i = 0; i < burst.count; ++i) {
    Pieces pieces;
    std::uint64_t from = burst.src + i * burst.srcStep, to = burst.dst + i * burst.dstStep;
    recorder::add(pieces, false, burst.from, from, from + burst.readBytes);
    recorder::add(pieces, true, burst.to, to, to + burst.writeBytes);
    recorder::access(pipe, name, pieces);
  }
}

inline std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace a3

inline void set_mask_count() { a3::state().counter = true; }
inline void set_mask_norm() { a3::state().counter = false; }
inline void set_vector_mask(std::uint64_t high, std::uint64_t low) { a3::state().high = high, a3::state().low = low; }

#define BINARY(name)                                                                                                   \
  template <typename D, typename A, typename B, typename... Mode>                                                      \
  void name(D *d, A *a, B *b, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t bb, std::uint64_t dr,  \
            std::uint64_t ar, std::uint64_t br, Mode...) {                                                             \
    a3::vector(#name, n, {a3::reads(a, ab, ar), a3::reads(b, bb, br), a3::writes(d, db, dr)});                         \
  }
BINARY(vadd) BINARY(vsub) BINARY(vmul) BINARY(vdiv) BINARY(vmax) BINARY(vmin) BINARY(vand) BINARY(vor)
BINARY(vsubrelu) BINARY(vaddreluconv_f322f16) BINARY(vaddreluconv_f162s8) BINARY(vaddreluconv_s162s8)
BINARY(vsubreluconv_f322f16) BINARY(vsubreluconv_f162s8) BINARY(vsubreluconv_s162s8)
#undef BINARY

// The destination takes part.
#define BINARY(name)                                                                                                   \
  template <typename D, typename A, typename B>                                                                        \
  void name(D *d, A *a, B *b, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t bb, std::uint64_t dr,  \
            std::uint64_t ar, std::uint64_t br) {                                                                      \
    a3::vector(#name, n, {a3::reads(a, ab, ar), a3::reads(b, bb, br), a3::reads(d, db, dr), a3::writes(d, db, dr)});   \
  }
BINARY(vmla) BINARY(vmadd) BINARY(vmaddrelu)
#undef BINARY

#define UNARY(name)                                                                                                    \
  template <typename D, typename A, typename... Mode>                                                                  \
  void name(D *d, A *a, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t dr, std::uint64_t ar,        \
            Mode...) {                                                                                                 \
    a3::vector(#name, n, {a3::reads(a, ab, ar), a3::writes(d, db, dr)});                                               \
  }
UNARY(vexp) UNARY(vln) UNARY(vabs) UNARY(vrelu) UNARY(vnot) UNARY(vrec) UNARY(vsqrt) UNARY(vrsqrt)
#define CONVERT(name) UNARY(vconv_##name)
#define ROUNDED(name) CONVERT(name) CONVERT(name##r) CONVERT(name##f) CONVERT(name##c) CONVERT(name##a) CONVERT(name##z)
ROUNDED(f322f32) ROUNDED(f322f16) ROUNDED(f322bf16) ROUNDED(f322s32) ROUNDED(f322s16) ROUNDED(f322s64)
ROUNDED(f162s32) ROUNDED(f162s16) ROUNDED(f162s8) ROUNDED(f162u8) ROUNDED(bf162s32) ROUNDED(s322f32) ROUNDED(s162f16)
ROUNDED(s642f32) CONVERT(f322f16o) CONVERT(f162f32) CONVERT(bf162f32) CONVERT(s322s16) CONVERT(s322s64) CONVERT(s642s32)
CONVERT(s162f32) CONVERT(s82f16) CONVERT(u82f16) CONVERT(deq)
#undef ROUNDED
#undef CONVERT
#undef UNARY

/// Four-bit sides come as untyped pointers: 64 bytes hold the 128 elements of a repeat.
template <typename D, typename A>
void fourBit(const char *name, D *d, A *a, std::uint8_t n, std::uint64_t dr, std::uint64_t ar) {
  a3::eachRepeat(n, 128, [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    a3::Pieces pieces;
    if (!elements.empty()) {
      std::uint64_t count = elements.back() + 1;
      std::uint64_t from = recorder::at(a) + repeat * ar * 32, to = recorder::at(d) + repeat * dr * 32;
      recorder::add(pieces, false, a3::Space::UB, from, from + (std::is_same_v<A, half> ? count * 2 : (count + 1) / 2));
      recorder::add(pieces, true, a3::Space::UB, to, to + (std::is_same_v<D, half> ? count * 2 : (count + 1) / 2));
    }
    recorder::access("PIPE_V", name, pieces);
  });
}
#define FOUR(name)                                                                                                     \
  template <typename D, typename A>                                                                                    \
  void name(D *d, A *a, std::uint8_t n, std::uint64_t, std::uint64_t, std::uint64_t dr, std::uint64_t ar) {            \
    fourBit(#name, d, a, n, dr, ar);                                                                                   \
  }
FOUR(vconv_f162s4) FOUR(vconv_f162s4r) FOUR(vconv_f162s4f) FOUR(vconv_f162s4c) FOUR(vconv_f162s4a) FOUR(vconv_f162s4z)
FOUR(vconv_s42f16)
#undef FOUR

// In counter mode a copy counts anew in each repeat, over elements that follow one another: no source says so, the library's
// calls need it, for tiles of one long row too.
template <typename D, typename A>
void vcopy(D *d, A *a, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t dr, std::uint64_t ar) {
  if (!a3::state().counter)
    return a3::vector("vcopy", n, {a3::reads(a, ab, ar), a3::writes(d, db, dr)});
  for (unsigned repeat = 0; repeat < n; ++repeat)
    a3::vector("vcopy", 1, {a3::reads(a + repeat * ar * 32 / sizeof(A), ab, ab * 8), a3::writes(d + repeat * dr * 32 / sizeof(D), db, db * 8)});
}

#define WITH_SCALAR(name, ...)                                                                                         \
  template <typename D, typename A, typename S, typename... Mode>                                                      \
  void name(D *d, A *a, S, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t dr, std::uint64_t ar,     \
            Mode...) {                                                                                                 \
    a3::vector(#name, n, {a3::reads(a, ab, ar), __VA_ARGS__ a3::writes(d, db, dr)});                                   \
  }
WITH_SCALAR(vadds) WITH_SCALAR(vmuls) WITH_SCALAR(vmaxs) WITH_SCALAR(vmins) WITH_SCALAR(vlrelu) WITH_SCALAR(vshl)
WITH_SCALAR(vshr) WITH_SCALAR(vaxpy, a3::reads(d, db, dr), )
#undef WITH_SCALAR

template <typename D, typename S>
void vector_dup(D *d, S value, std::uint8_t n, std::uint64_t db, std::uint64_t, std::uint64_t dr, std::uint64_t) {
  a3::vector("vector_dup", n, {a3::writes(d, db, dr)});
  if constexpr (std::is_integral_v<S>)
    a3::state().filled[recorder::at(d)] = static_cast<std::uint64_t>(value);
}

// Results for blocks without an active element are not written.
#define GROUP(name)                                                                                                    \
  template <typename T>                                                                                                \
  void name(T *d, T *a, std::uint8_t n, std::uint64_t dr, std::uint64_t ab, std::uint64_t ar) {                        \
    a3::reduction(#name, recorder::at(d), n, dr * 8 * sizeof(T), a3::reads(a, ab, ar), [](const auto &elements) {      \
      return elements.empty() ? 0 : (elements.back() / (32 / sizeof(T)) + 1) * sizeof(T);                              \
    });                                                                                                                \
  }
GROUP(vcgadd) GROUP(vcgmax) GROUP(vcgmin)
#undef GROUP
template <typename T, typename... Mode>
void vcadd(T *d, T *a, std::uint8_t n, std::uint64_t dr, std::uint64_t ab, std::uint64_t ar, Mode...) {
  a3::reduction("vcadd", recorder::at(d), n, dr * sizeof(T), a3::reads(a, ab, ar),
                [](const auto &elements) { return elements.empty() ? 0 : sizeof(T); });
}
// The step of the destination: 32-byte blocks.
template <typename T>
void vcpadd(T *d, T *a, std::uint8_t n, std::uint64_t dr, std::uint64_t ab, std::uint64_t ar) {
  a3::reduction("vcpadd", recorder::at(d), n, dr * 32, a3::reads(a, ab, ar), [](const auto &elements) {
    return elements.empty() ? 0 : (elements.back() / 2 + 1) * sizeof(T);
  });
}
#define EXTREME(name)                                                                                                  \
  template <typename D, typename T, typename... Mode>                                                                  \
  void name(D *d, T *a, std::uint8_t n, std::uint64_t dr, std::uint64_t ab, std::uint64_t ar, Order_t order) {         \
    std::uint64_t bytes = order == ONLY_VALUE ? sizeof(T) : order == ONLY_INDEX ? 4 : 2 * sizeof(T);                   \
    a3::reduction(#name, recorder::at(d), n, dr *bytes, a3::reads(a, ab, ar),                                          \
                  [&](const auto &elements) { return elements.empty() ? 0 : bytes; });                                 \
  }
EXTREME(vcmax) EXTREME(vcmin)
#undef EXTREME

// A comparison into the mask register reads only.
#define COMPARE(name)                                                                                                  \
  template <typename A, typename B, typename... Strides>                                                               \
  void vcmp_##name(A *a, B *b, std::uint8_t n, std::uint64_t, std::uint64_t ab, std::uint64_t bb, std::uint64_t,       \
                   std::uint64_t ar, std::uint64_t br) {                                                               \
    a3::vector("vcmp_" #name, n, {a3::reads(a, ab, ar), a3::reads(b, bb, br)});                                        \
  }                                                                                                                    \
  template <typename D, typename T>                                                                                    \
  void vcmpv_##name(D *d, T *a, T *b, std::uint8_t n, std::uint64_t, std::uint64_t ab, std::uint64_t bb,               \
                    std::uint64_t, std::uint64_t ar, std::uint64_t br) {                                               \
    compareInto("vcmpv_" #name, recorder::at(d), n, {a3::reads(a, ab, ar), a3::reads(b, bb, br)});                     \
  }                                                                                                                    \
  template <typename D, typename T, typename S>                                                                        \
  void vcmpvs_##name(D *d, T *a, S, std::uint8_t n, std::uint64_t, std::uint64_t ab, std::uint64_t, std::uint64_t ar) { \
    compareInto("vcmpvs_" #name, recorder::at(d), n, {a3::reads(a, ab, ar)});                                          \
  }
/// Bits of consecutive repeats follow one another, whatever the stride of the destination says.
inline void compareInto(const char *name, std::uint64_t dst, std::uint8_t n, std::initializer_list<a3::Operand> sources) {
  std::uint64_t perRepeat = 256 / a3::widest(sources);
  a3::eachRepeat(n, perRepeat, [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    a3::Pieces pieces;
    for (const a3::Operand &source : sources)
      for (std::uint64_t i : elements)
        recorder::add(pieces, false, a3::Space::UB, source.element(repeat, i), source.element(repeat, i) + source.size);
    if (!elements.empty())
      recorder::add(pieces, true, a3::Space::UB, dst + repeat * perRepeat / 8,
                    dst + repeat * perRepeat / 8 + elements.back() / 8 + 1);
    recorder::access("PIPE_V", name, pieces);
  });
}
COMPARE(eq) COMPARE(ne) COMPARE(lt) COMPARE(le) COMPARE(gt) COMPARE(ge)
#undef COMPARE

template <typename T> void set_cmpmask(T *from) {
  recorder::access("PIPE_V", "set_cmpmask", {{false, a3::Space::UB, recorder::at(from), recorder::at(from) + 16}});
  auto known = a3::state().filled.find(recorder::at(from));
  a3::state().compareAddress = known == a3::state().filled.end() ? 0 : known->second;
}

/// Modes: 0 the mask is in the register, 1 its bits lie at `b`, 2 they lie where the register points.
template <typename D, typename A, typename B, typename Mode = int>
void vsel(D *d, A *a, B *b, std::uint8_t n, std::uint64_t db, std::uint64_t ab, std::uint64_t bb, std::uint64_t dr,
          std::uint64_t ar, std::uint64_t br, Mode mode = {}) {
  std::uint64_t bits = static_cast<int>(mode) == 1 ? recorder::at(b) : static_cast<int>(mode) == 2 ? a3::state().compareAddress : 0;
  a3::Operand to = a3::writes(d, db, dr), first = a3::reads(a, ab, ar), second{recorder::at(b), sizeof(A), bb, br, false};
  std::uint64_t perRepeat = 256 / sizeof(D);
  a3::eachRepeat(n, perRepeat, [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    a3::Pieces pieces;
    for (const a3::Operand &operand : {first, second, to}) {
      if (static_cast<int>(mode) == 1 && operand.base == second.base && !operand.write && &operand != &first && operand.base != first.base)
        continue;
      for (std::uint64_t i : elements)
        recorder::add(pieces, operand.write, a3::Space::UB, operand.element(repeat, i), operand.element(repeat, i) + operand.size);
    }
    if (bits && !elements.empty())
      recorder::add(pieces, false, a3::Space::UB, bits + repeat * perRepeat / 8, bits + repeat * perRepeat / 8 + elements.back() / 8 + 1);
    recorder::access("PIPE_V", "vsel", pieces);
  });
}

/// Eight elements become eight blocks; no mask.
template <typename D, typename A>
void vbrcb(D *d, A *a, std::uint64_t db, std::uint64_t dr, std::uint8_t n) {
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    a3::Pieces pieces;
    std::uint64_t from = recorder::at(a) + repeat * 8 * sizeof(A), to = recorder::at(d) + repeat * dr * 32;
    recorder::add(pieces, false, a3::Space::UB, from, from + 8 * sizeof(A));
    for (std::uint64_t block = 0; block < 8; ++block)
      recorder::add(pieces, true, a3::Space::UB, to + block * db * 32, to + block * db * 32 + 32);
    recorder::access("PIPE_V", "vbrcb", pieces);
  }
}

/// Offsets lie one behind the other; what they point to depends on data.
template <typename D, typename A>
void vgather(D *d, A *offsets, std::uint64_t, std::uint64_t dr, std::uint8_t n) {
  a3::eachRepeat(n, 256 / sizeof(D), [&](std::uint64_t repeat, const std::vector<std::uint64_t> &elements) {
    a3::Pieces pieces;
    std::uint64_t from = recorder::at(offsets) + repeat * (256 / sizeof(D)) * 4, to = recorder::at(d) + repeat * dr * 32;
    for (std::uint64_t i : elements)
      recorder::add(pieces, false, a3::Space::UB, from + i * 4, from + i * 4 + 4);
    for (std::uint64_t i : elements)
      recorder::add(pieces, true, a3::Space::UB, to + i * sizeof(D), to + (i + 1) * sizeof(D));
    recorder::access("PIPE_V", "vgather", pieces);
  });
}
/// Eight offsets fetch eight blocks; the mask is ignored.
template <typename D, typename A>
void vgatherb(D *d, A *offsets, std::uint64_t, std::uint64_t dr, std::uint64_t db, std::uint8_t n) {
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    a3::Pieces pieces;
    std::uint64_t from = recorder::at(offsets) + repeat * 32, to = recorder::at(d) + repeat * dr * 32;
    recorder::add(pieces, false, a3::Space::UB, from, from + 32);
    for (std::uint64_t block = 0; block < 8; ++block)
      recorder::add(pieces, true, a3::Space::UB, to + block * db * 32, to + block * db * 32 + 32);
    recorder::access("PIPE_V", "vgatherb", pieces);
  }
}

/// Patterns 1, 2 keep every second element, 3 to 6 every fourth, 7 all, 0 those whose bit is set at `bits` (any number
/// of them: all are recorded). Results follow one another. Outside counter mode whole repeats are taken.
template <typename D, typename A, typename B, typename Pattern>
void vreducev2(D *d, A *a, B *bits, std::uint16_t n, std::uint64_t ab, Pattern kind, std::uint64_t ar, std::uint64_t br) {
  auto pattern = static_cast<unsigned>(kind);
  std::uint64_t perRepeat = 256 / sizeof(A), count = a3::state().counter ? a3::state().low : perRepeat;
  std::uint64_t to = recorder::at(d);
  a3::Operand from = a3::reads(a, ab, ar);
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    a3::Pieces pieces;
    for (std::uint64_t i = 0; i < count; ++i)
      recorder::add(pieces, false, a3::Space::UB, from.element(repeat, i), from.element(repeat, i) + sizeof(A));
    if (pattern == 0)
      recorder::add(pieces, false, a3::Space::UB, recorder::at(bits) + repeat * br * 32, recorder::at(bits) + repeat * br * 32 + (count + 7) / 8);
    std::uint64_t kept = pattern == 0 || pattern == 7 ? count : pattern <= 2 ? (count + 1) / 2 : (count + 3) / 4;
    recorder::add(pieces, true, a3::Space::UB, to, to + kept * sizeof(A));
    to += kept * sizeof(A);
    recorder::access("PIPE_V", "vreducev2", pieces);
  }
}

inline void set_va_reg_sb(va_reg_t reg, std::uint64_t *addresses) {
  for (unsigned i = 0; i < 8; ++i)
    a3::state().registers[reg][i] = addresses[i];
}
/// Sixteen addresses a side, in two registers. `part` and `bytes`: which of each block a side uses.
inline void transpose(const char *name, va_reg_t d, va_reg_t a, std::uint64_t n, std::uint64_t ds, std::uint64_t as,
                      std::uint64_t dPart, std::uint64_t aPart, std::uint64_t bytes) {
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    a3::Pieces pieces;
    auto side = [&](bool write, va_reg_t reg, std::uint64_t step, std::uint64_t part) {
      for (unsigned i = 0; i < 16; ++i) {
        std::uint64_t at = a3::state().registers[reg + i / 8][i % 8] + repeat * step * 32 + part;
        recorder::add(pieces, write, a3::Space::UB, at, at + bytes);
      }
    };
    side(false, a, as, aPart);
    side(true, d, ds, dPart);
    recorder::access("PIPE_V", name, pieces);
  }
}
inline void scatter_vnchwconv_b16(va_reg_t d, va_reg_t a, std::uint8_t n, std::uint64_t ds, std::uint64_t as) {
  transpose("scatter_vnchwconv_b16", d, a, n, ds, as, 0, 0, 32);
}
inline void scatter_vnchwconv_b32(va_reg_t d, va_reg_t a, std::uint8_t n, std::uint64_t ds, std::uint64_t as) {
  transpose("scatter_vnchwconv_b32", d, a, n, ds, as, 0, 0, 32);
}
inline void scatter_vnchwconv_b8(va_reg_t d, va_reg_t a, std::uint8_t n, std::uint64_t ds, std::uint64_t as, bool dHigh, bool aHigh) {
  transpose("scatter_vnchwconv_b8", d, a, n, ds, as, dHigh ? 16 : 0, aHigh ? 16 : 0, 16);
}

/// 32 values with their indices become 32 pairs of eight bytes.
template <typename T, typename I> void vbitsort(T *d, T *a, I *index, std::uint8_t n) {
  for (std::uint64_t repeat = 0; repeat < n; ++repeat) {
    a3::Pieces pieces;
    std::uint64_t from = recorder::at(a) + repeat * 32 * sizeof(T), with = recorder::at(index) + repeat * 128,
                  to = recorder::at(d) + repeat * 256;
    recorder::add(pieces, false, a3::Space::UB, from, from + 32 * sizeof(T));
    recorder::add(pieces, false, a3::Space::UB, with, with + 128);
    recorder::add(pieces, true, a3::Space::UB, to, to + 256);
    recorder::access("PIPE_V", "vbitsort", pieces);
  }
}
/// Up to four lists of pairs of eight bytes; with several repeats the four lists of each lie behind those of the last.
template <typename T> void vmrgsort4(T *d, T **lists, std::uint64_t counts, std::uint64_t config) {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (config >> (8 + i) & 1)
      total += (counts >> (16 * i) & 0xffff) * 8;
  for (std::uint64_t repeat = 0; repeat < (config & 0xff); ++repeat) {
    a3::Pieces pieces;
    for (unsigned i = 0; i < 4; ++i)
      if (config >> (8 + i) & 1) {
        std::uint64_t from = recorder::at(lists[i]) + repeat * total;
        recorder::add(pieces, false, a3::Space::UB, from, from + (counts >> (16 * i) & 0xffff) * 8);
      }
    std::uint64_t to = recorder::at(d) + repeat * total;
    recorder::add(pieces, true, a3::Space::UB, to, to + total);
    recorder::access("PIPE_V", "vmrgsort4", pieces);
  }
}

/// Lengths and gaps in blocks.
/// It goes over its bytes in order, and 256 of them count as a repeat: no source says so.
template <typename D, typename A>
void copy_ubuf_to_ubuf(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  std::uint64_t bytes = length * 32;
  for (std::uint64_t row = 0; row < n; ++row)
    for (std::uint64_t at = 0; at < bytes; at += a3::kRepeat) {
      std::uint64_t part = bytes - at < a3::kRepeat ? bytes - at : a3::kRepeat;
      std::uint64_t from = recorder::at(a) + row * (length + aGap) * 32 + at, to = recorder::at(d) + row * (length + dGap) * 32 + at;
      recorder::access("PIPE_V", "copy_ubuf_to_ubuf", {{false, a3::Space::UB, from, from + part}, {true, a3::Space::UB, to, to + part}});
    }
}

// Length and gap of the GM side in bytes, gap of the UB side in blocks; UB rows begin at a block, and what a row leaves of
// its last block is filled.
#define ALIGNED(suffix, bytes)                                                                                         \
  template <typename D, typename A>                                                                                    \
  void copy_gm_to_ubuf_align_##suffix(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length,                 \
                                      std::uint64_t left, std::uint64_t right, std::uint64_t aGap, std::uint64_t dGap) { \
    std::uint64_t row = a3::up(length + (left + right) * bytes, 32);                                                   \
    a3::copy("PIPE_MTE2", "copy_gm_to_ubuf_align_" #suffix,                                                            \
             {a3::Space::GM, a3::Space::UB, recorder::at(a), recorder::at(d), n, length, row, length + aGap, row + dGap * 32}); \
  }                                                                                                                    \
  template <typename D, typename A>                                                                                    \
  void copy_ubuf_to_gm_align_##suffix(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length, std::uint64_t,  \
                                      std::uint64_t, std::uint64_t aGap, std::uint64_t dGap) {                         \
    a3::copy("PIPE_MTE3", "copy_ubuf_to_gm_align_" #suffix,                                                            \
             {a3::Space::UB, a3::Space::GM, recorder::at(a), recorder::at(d), n, length, length, a3::up(length, 32) + aGap * 32, length + dGap}); \
  }
ALIGNED(b8, 1) ALIGNED(b16, 2) ALIGNED(b32, 4)
#undef ALIGNED

template <typename D, typename A, typename... Pad>
void copy_gm_to_cbuf(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap, Pad...) {
  a3::copy("PIPE_MTE2", "copy_gm_to_cbuf",
           {a3::Space::GM, a3::Space::L1, recorder::at(a), recorder::at(d), n, length * 32, length * 32, (length + aGap) * 32, (length + dGap) * 32});
}
template <typename D, typename A>
void copy_cbuf_to_gm(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  a3::copy("PIPE_MTE3", "copy_cbuf_to_gm",
           {a3::Space::L1, a3::Space::GM, recorder::at(a), recorder::at(d), n, length * 32, length * 32, (length + aGap) * 32, (length + dGap) * 32});
}

/// Rows of a matrix become columns of 32-byte blocks.
template <typename T>
void rowsToBlocks(const char *name, T *d, T *a, std::uint64_t matrices, std::uint64_t rows, std::uint64_t columns,
                  std::uint64_t aMatrix, std::uint64_t aRow, std::uint64_t dBlock, std::uint64_t dRow, std::uint64_t dMatrix) {
  std::uint64_t perBlock = 32 / sizeof(T);
  for (std::uint64_t m = 0; m < matrices; ++m)
    for (std::uint64_t row = 0; row < rows; ++row) {
      a3::Pieces pieces;
      std::uint64_t from = recorder::at(a) + (m * aMatrix + row * aRow) * sizeof(T);
      recorder::add(pieces, false, a3::Space::GM, from, from + columns * sizeof(T));
      for (std::uint64_t block = 0; block * perBlock < columns; ++block) {
        std::uint64_t to = recorder::at(d) + m * dMatrix * sizeof(T) + block * dBlock * 32 + row * dRow * 32;
        recorder::add(pieces, true, a3::Space::L1, to, to + 32);
      }
      recorder::access("PIPE_MTE2", name, pieces);
    }
}
#define ROWS(suffix)                                                                                                   \
  template <typename T>                                                                                                \
  void copy_gm_to_cbuf_multi_nd2nz_##suffix(T *d, T *a, std::uint8_t, std::uint64_t matrices, std::uint64_t rows,      \
                                            std::uint64_t columns, std::uint64_t aMatrix, std::uint64_t aRow,          \
                                            std::uint64_t dBlock, std::uint64_t dRow, std::uint64_t dMatrix) {         \
    rowsToBlocks("copy_gm_to_cbuf_multi_nd2nz_" #suffix, d, a, matrices, rows, columns, aMatrix, aRow, dBlock, dRow, dMatrix); \
  }
ROWS(b8) ROWS(b16) ROWS(b32s)
#undef ROWS

/// Fractals of 512 bytes; the destination's step is a gap.
#define LOAD(name, to)                                                                                                 \
  template <typename D, typename A, typename... Mode>                                                                  \
  void name(D *d, A *a, std::uint64_t first, std::uint8_t n, std::uint64_t as, std::uint64_t dGap, Mode...) {          \
    a3::copy("PIPE_MTE1", #name,                                                                                       \
             {a3::Space::L1, to, recorder::at(a) + first * 512, recorder::at(d), n, 512, 512, as * 512, (1 + dGap) * 512}); \
  }
LOAD(load_cbuf_to_ca, a3::Space::L0A) LOAD(load_cbuf_to_cb, a3::Space::L0B)
#undef LOAD

/// Accumulator to a memory: columns of blocks of sixteen four-byte elements a row; `srcStride` in rows.
template <typename D, typename A>
void fixpipe(const char *name, a3::Space space, D *d, A *a, std::uint64_t n, std::uint64_t m, std::uint64_t srcStride,
             std::uint64_t dstStride, bool toRows, bool split) {
  a3::Pieces pieces;
  for (std::uint64_t block = 0; block * 16 < n; ++block) {
    std::uint64_t from = recorder::at(a) + block * srcStride * 64;
    recorder::add(pieces, false, a3::Space::L0C, from, from + m * 64);
  }
  if (toRows) {
    for (std::uint64_t row = 0; row < m; ++row) {
      std::uint64_t to = recorder::at(d) + row * dstStride * sizeof(D);
      recorder::add(pieces, true, space, to, to + n * sizeof(D));
    }
  } else {
    std::uint64_t row = sizeof(D) == 4 && !split ? 64 : 32; // bytes of one row of a block
    for (std::uint64_t block = 0; block * row < n * sizeof(D); ++block) {
      std::uint64_t to = recorder::at(d) + block * dstStride * 32;
      recorder::add(pieces, true, space, to, to + m * row);
    }
  }
  recorder::access("PIPE_FIX", name, pieces);
}
// Fields of the two configuration words as the library's comments give them.
template <typename D, typename A> void copy_matrix_cc_to_gm(D *d, A *a, std::uint64_t xm, std::uint64_t xt) {
  fixpipe("copy_matrix_cc_to_gm", a3::Space::GM, d, a, xm >> 4 & 0xfff, xm >> 16 & 0xffff, xt & 0xffff, xm >> 32, xt >> 43 & 1, xt >> 42 & 1);
}
template <typename D, typename A>
void copy_matrix_cc_to_cbuf(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t m, std::uint64_t dstStride,
                            std::uint64_t srcStride, std::uint8_t, std::uint64_t, std::uint8_t, bool split, bool toRows) {
  fixpipe("copy_matrix_cc_to_cbuf", a3::Space::L1, d, a, n, m, srcStride, dstStride, toRows, split);
}

/// Bursts of 64 bytes to the bias table (twice as much behind a conversion), of 128 bytes to the fixpipe's table.
template <typename D, typename A>
void copy_cbuf_to_bt(D d, A *a, std::uint64_t convert, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  std::uint64_t to = length * 64 * (convert ? 2 : 1);
  a3::copy("PIPE_MTE1", "copy_cbuf_to_bt",
           {a3::Space::L1, a3::Space::BT, recorder::at(a), recorder::at(d), n, length * 64, to, (length + aGap) * 64, to + dGap * 64});
}
template <typename D, typename A>
void copy_cbuf_to_fbuf(D *d, A *a, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  a3::copy("PIPE_FIX", "copy_cbuf_to_fbuf",
           {a3::Space::L1, a3::Space::FB, recorder::at(a), recorder::at(d), n, length * 128, length * 128, (length + aGap) * 128, (length + dGap) * 128});
}

/// Pairs of fractals of bytes, turned; the second fractal of a pair lies behind the first and `inner` more.
template <typename D, typename A>
void load_cbuf_to_cb_transpose(D *d, A *a, std::uint64_t first, std::uint8_t n, std::uint64_t as, std::uint64_t dGap, bool, std::uint64_t inner) {
  for (std::uint64_t i = 0; i < n; ++i) {
    a3::Pieces pieces;
    std::uint64_t from = recorder::at(a) + (first + i * as) * 1024, to = recorder::at(d) + i * (1 + dGap) * 512;
    recorder::add(pieces, false, a3::Space::L1, from, from + 1024);
    recorder::add(pieces, true, a3::Space::L0B, to, to + 512);
    recorder::add(pieces, true, a3::Space::L0B, to + (1 + inner) * 512, to + (2 + inner) * 512);
    recorder::access("PIPE_MTE1", "load_cbuf_to_cb_transpose", pieces);
  }
}

/// The width of the image that the next image-to-column load reads.
inline std::uint64_t &imageWidth() {
  static std::uint64_t value = 0;
  return value;
}
template <typename T> void set_fmatrix(T config) { imageWidth() = static_cast<std::uint64_t>(config) & 0xffff; }
template <typename T> void set_fmatrix_b(T config) { imageWidth() = static_cast<std::uint64_t>(config) & 0xffff; }

/// An image to columns. Only what the library uses to turn a matrix is described: a filter of one element, where the image's
/// width is the matrix' rows and its channels are the columns.
template <typename D, typename A>
void imageToColumns(const char *name, a3::Space space, D *d, A *a, std::uint64_t columns, std::uint64_t rows,
                    std::uint64_t firstColumn, std::uint64_t firstRow, int filterWidth, int filterHeight) {
  if (filterWidth != 1 || filterHeight != 1)
    return recorder::unknown(name);
  a3::Pieces pieces;
  std::uint64_t perBlock = 32 / sizeof(A);
  for (std::uint64_t block = firstColumn / perBlock; block * perBlock < firstColumn + columns; ++block) {
    std::uint64_t from = recorder::at(a) + (block * imageWidth() + firstRow) * 32;
    recorder::add(pieces, false, a3::Space::L1, from, from + rows * 32);
  }
  recorder::add(pieces, true, space, recorder::at(d), recorder::at(d) + rows * columns * sizeof(A));
  recorder::access("PIPE_MTE1", name, pieces);
}
#define IMAGE(name, space)                                                                                             \
  template <typename D, typename A, typename... Rest>                                                                  \
  void name(D *d, A *a, std::uint64_t columns, std::uint64_t rows, std::uint64_t firstColumn, std::uint64_t firstRow,  \
            int, int, int filterWidth, int filterHeight, Rest...) {                                                    \
    imageToColumns(#name, space, d, a, columns, rows, firstColumn, firstRow, filterWidth, filterHeight);               \
  }
IMAGE(img2colv2_cbuf_to_ca, a3::Space::L0A) IMAGE(img2colv2_cbuf_to_cb, a3::Space::L0B)
#undef IMAGE
