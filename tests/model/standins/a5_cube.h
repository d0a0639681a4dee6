// Stand-ins for the a5's cube core: loads into L1, moves from there to the multiplier's memories and tables, copies from UB.
//
// Not described: moves that turn a matrix, images to columns, several matrices or parts for two vector cores at once from the
// accumulator, four-bit and scaled operands.
#pragma once

#include "control.h"
#include "cube.h"

namespace a5 {

/// Bursts of bytes from one memory to another, each with a step of its own.
struct Bursts {
  recorder::Space from, to;
  std::uint64_t source, destination, count, length, written, sourceStep, destinationStep;
};
inline void copy(const char *pipe, const char *name, const Bursts &bursts) {
  for (std::uint64_t i = 0; i < bursts.count; ++i) {
    std::uint64_t from = bursts.source + i * bursts.sourceStep, to = bursts.destination + i * bursts.destinationStep;
    recorder::access(pipe, name, {{false, bursts.from, from, from + bursts.length}, {true, bursts.to, to, to + bursts.written}});
  }
}

/// How a load takes matrices apart: steps in 32-byte blocks from matrix to matrix, from block to block of a row, and from
/// row to row; number of matrices.
struct BlockSteps {
  std::uint64_t matrix, block, row, matrices;
};
inline BlockSteps &blockSteps() {
  static BlockSteps value{0, 0, 1, 1};
  return value;
}

/// Fractals of 16 rows by 32 bytes, `down` of them in each of `along` columns; in both memories columns of fractals follow one
/// another, `aStep` and `dStep` fractals apart.
template <typename D, typename A>
void fractals(const char *name, recorder::Space space, D *d, A *a, std::uint64_t firstRow, std::uint64_t firstColumn,
              std::uint64_t down, std::uint64_t along, std::uint64_t aStep, std::uint64_t dStep, bool turned) {
  if (turned)
    return recorder::unknown(name);
  for (std::uint64_t column = 0; column < along; ++column) {
    std::uint64_t from = recorder::at(a) + ((firstColumn + column) * aStep + firstRow) * 512, to = recorder::at(d) + column * dStep * 512;
    recorder::access("PIPE_MTE1", name, {{false, recorder::Space::L1, from, from + down * 512}, {true, space, to, to + down * 512}});
  }
}

} // namespace a5

template <typename T> void set_mte2_nz_para(T config) {
  auto word = static_cast<std::uint64_t>(config);
  a5::blockSteps() = {word >> 48 & 0xffff, word >> 32 & 0xffff, word >> 16 & 0xffff, word & 0xffff};
}
/// Rows become columns of 32-byte blocks. Steps in global memory in bytes.
template <typename T>
void copy_gm_to_cbuf_multi_nd2nz(T *d, T *a, std::uint8_t, std::uint64_t rowStep, std::uint8_t, std::uint64_t rows,
                                 std::uint64_t columns, std::uint64_t matrixStep, bool) {
  const a5::BlockSteps &steps = a5::blockSteps();
  for (std::uint64_t m = 0; m < steps.matrices; ++m)
    for (std::uint64_t row = 0; row < rows; ++row) {
      recorder::Pieces pieces;
      std::uint64_t from = recorder::at(a) + m * matrixStep + row * rowStep;
      recorder::add(pieces, false, recorder::Space::GM, from, from + columns * sizeof(T));
      for (std::uint64_t block = 0; block * 32 < columns * sizeof(T); ++block) {
        std::uint64_t to = recorder::at(d) + (m * steps.matrix + block * steps.block + row * steps.row) * 32;
        recorder::add(pieces, true, recorder::Space::L1, to, to + 32);
      }
      recorder::access("PIPE_MTE2", "copy_gm_to_cbuf_multi_nd2nz", pieces);
    }
}

#define FRACTALS(name, space)                                                                                          \
  template <typename D, typename A>                                                                                    \
  void name(D *d, A *a, std::uint64_t firstRow, std::uint64_t firstColumn, std::uint64_t down, std::uint64_t along,    \
            std::uint64_t aStep, std::uint64_t dStep, bool turned) {                                                   \
    a5::fractals(#name, space, d, a, firstRow, firstColumn, down, along, aStep, dStep, turned);                        \
  }
FRACTALS(load_cbuf_to_ca, recorder::Space::L0A) FRACTALS(load_cbuf_to_cb, recorder::Space::L0B)
#undef FRACTALS

/// Bursts of 32 bytes to the bias table (twice as much behind a conversion), of 64 bytes to the fixpipe's table.
template <typename D, typename A>
void copy_cbuf_to_bt(D d, A *a, bool convert, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  std::uint64_t to = length * 32 * (convert ? 2 : 1);
  a5::copy("PIPE_MTE1", "copy_cbuf_to_bt",
           {recorder::Space::L1, recorder::Space::BT, recorder::at(a), recorder::at(d), n, length * 32, to, (length + aGap) * 32, to + dGap * 32});
}
template <typename D, typename A>
void copy_cbuf_to_fbuf(D *d, A *a, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  a5::copy("PIPE_FIX", "copy_cbuf_to_fbuf",
           {recorder::Space::L1, recorder::Space::FB, recorder::at(a), recorder::at(d), n, length * 64, length * 64, (length + aGap) * 64, (length + dGap) * 64});
}
template <typename D, typename A>
void copy_ubuf_to_cbuf(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t length, std::uint64_t aGap, std::uint64_t dGap) {
  a5::copy("PIPE_MTE3", "copy_ubuf_to_cbuf",
           {recorder::Space::UB, recorder::Space::L1, recorder::at(a), recorder::at(d), n, length * 32, length * 32, (length + aGap) * 32, (length + dGap) * 32});
}

namespace a5 {

/// Accumulator to a memory: from columns of blocks of sixteen four-byte elements a row to rows, or to columns of blocks. `aStep`
/// in rows, `dStep` in elements.
template <typename D, typename A>
void fixpipe(const char *name, recorder::Space space, D *d, A *a, std::uint64_t n, std::uint64_t m, std::uint64_t aStep,
             std::uint64_t dStep, bool toRows, bool split) {
  recorder::Pieces pieces;
  for (std::uint64_t block = 0; block * 16 < n; ++block) {
    std::uint64_t from = recorder::at(a) + block * aStep * 64;
    recorder::add(pieces, false, recorder::Space::L0C, from, from + m * 64);
  }
  const std::uint64_t width = sizeof(D) == 4 && !split ? 64 : 32; // bytes of a row of a block
  for (std::uint64_t row = 0; toRows && row < m; ++row)
    recorder::add(pieces, true, space, recorder::at(d) + row * dStep * sizeof(D), recorder::at(d) + (row * dStep + n) * sizeof(D));
  for (std::uint64_t block = 0; !toRows && block * width < n * sizeof(D); ++block) {
    std::uint64_t to = recorder::at(d) + block * dStep * sizeof(D);
    recorder::add(pieces, true, space, to, to + m * width);
  }
  recorder::access("PIPE_FIX", name, pieces);
}

} // namespace a5

// Fields of the two configuration words as the library's comments give them.
template <typename D, typename A> void copy_matrix_cc_to_gm(D *d, A *a, std::uint64_t xm, std::uint64_t xt) {
  if (xt >> 62 & 1)
    return recorder::unknown("copy_matrix_cc_to_gm");
  a5::fixpipe("copy_matrix_cc_to_gm", recorder::Space::GM, d, a, xm >> 4 & 0xfff, xm >> 16 & 0xffff, xt & 0xffff, xm >> 32, xt >> 43 & 1, xt >> 42 & 1);
}
template <typename D, typename A, typename... Rest>
void copy_matrix_cc_to_cbuf(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t m, std::uint64_t dStep, std::uint64_t aStep,
                            int, int, int, std::uint64_t, int, bool split, bool toRows, Rest...) {
  a5::fixpipe("copy_matrix_cc_to_cbuf", recorder::Space::L1, d, a, n, m, aStep, dStep, toRows, split);
}
template <typename D, typename A, typename... Rest>
void copy_matrix_cc_to_ub(D *d, A *a, std::uint8_t, std::uint64_t n, std::uint64_t m, std::uint64_t dStep, std::uint64_t aStep,
                          int both, bool, int, int, std::uint64_t, int, bool split, bool toRows, Rest...) {
  if (both)
    return recorder::unknown("copy_matrix_cc_to_ub");
  a5::fixpipe("copy_matrix_cc_to_ub", recorder::Space::UB, d, a, n, m, aStep, dStep, toRows, split);
}
