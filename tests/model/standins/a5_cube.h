// Stand-ins for the a5's cube core: loads into L1, moves from there to the multiplier's memories and tables, copies from UB.
//
// Not described: moves that turn a matrix, images to columns, what leaves the accumulator, four-bit and scaled operands.
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

/// `steps` of fractals of 16 rows by 32 bytes, `rowSteps` down and `blockSteps` along, both memories in columns of fractals.
template <typename D, typename A>
void fractals(const char *name, recorder::Space space, D *d, A *a, std::uint64_t firstRow, std::uint64_t firstBlock,
              std::uint64_t rowSteps, std::uint64_t blockSteps, std::uint64_t aStep, std::uint64_t dStep, bool turned) {
  if (turned)
    return recorder::unknown(name);
  for (std::uint64_t block = 0; block < blockSteps; ++block) {
    std::uint64_t from = recorder::at(a) + ((firstBlock + block) * aStep + firstRow) * 512, to = recorder::at(d) + block * dStep * 512;
    recorder::access("PIPE_MTE1", name,
                     {{false, recorder::Space::L1, from, from + rowSteps * 512}, {true, space, to, to + rowSteps * 512}});
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
  void name(D *d, A *a, std::uint64_t firstRow, std::uint64_t firstBlock, std::uint64_t rowSteps,                      \
            std::uint64_t blockSteps, std::uint64_t aStep, std::uint64_t dStep, bool turned) {                         \
    a5::fractals(#name, space, d, a, firstRow, firstBlock, rowSteps, blockSteps, aStep, dStep, turned);                \
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
