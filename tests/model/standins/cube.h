// Stand-ins of the cube core that both chips share: products, and the filling of L1.
#pragma once

#include "recorder.h"

/// Repeats, blocks of 32 bytes of each, and the gap between them in one word.
inline void fillL1(const char *name, std::uint64_t d, std::uint64_t config) {
  for (std::uint64_t repeat = 0; repeat < (config & 0x7fff); ++repeat) {
    std::uint64_t bytes = (config >> 16 & 0x7fff) * 32, to = d + repeat * (bytes + (config >> 32 & 0x7fff) * 32);
    recorder::access("PIPE_MTE2", name, {{true, recorder::Space::L1, to, to + bytes}});
  }
}
template <typename D, typename V> void create_cbuf_matrix(D *d, std::uint64_t config, V) { fillL1("create_cbuf_matrix", recorder::at(d), config); }
template <typename D, typename V> void create_cbuf_matrix_bf16(D *d, std::uint64_t config, V) { fillL1("create_cbuf_matrix_bf16", recorder::at(d), config); }

/// One multiplication: operands in fractals of 16 rows by 32 bytes. The bias table's address stands in the upper half of the
/// result's; `fromBias` and `fresh` say what the sum starts with.
template <typename C, typename A, typename B>
void mad(C *c, A *a, B *b, std::uint64_t m, std::uint64_t k, std::uint64_t n, std::uint8_t, bool, bool fromBias, bool fresh) {
  std::uint64_t rows = (m + 15) / 16 * 16, columns = (n + 15) / 16 * 16, depth = (k * sizeof(A) + 31) / 32 * 32;
  std::uint64_t result = recorder::at(c) & 0xffffffff, bias = recorder::at(c) >> 32, size = rows * columns * 4;
  if (m == 1)
    rows = 1; // a vector lies in one run
  recorder::Pieces pieces;
  recorder::add(pieces, false, recorder::Space::L0A, recorder::at(a), recorder::at(a) + rows * depth);
  recorder::add(pieces, false, recorder::Space::L0B, recorder::at(b), recorder::at(b) + columns * depth);
  if (fromBias)
    recorder::add(pieces, false, recorder::Space::BT, bias, bias + n * 4);
  else if (!fresh)
    recorder::add(pieces, false, recorder::Space::L0C, result, result + size);
  recorder::add(pieces, true, recorder::Space::L0C, result, result + size);
  recorder::access("PIPE_M", "mad", pieces);
}
