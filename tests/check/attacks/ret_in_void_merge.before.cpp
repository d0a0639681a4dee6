#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE int64_t pick(int64_t a, int64_t b) {
  if (a > b) {
    return 4096;
  }
  return 0;
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  int64_t z = pick(n, m);
  int64_t w = pick(m, n);
  if (z == w) {
    pipe_barrier(PIPE_MTE2);
    }
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (4096 + (z - w)));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (8192));
  TADDS(d, d, 1.0f);
  pipe_barrier(PIPE_V);
  TADDS(c, c, 1.0f);
#endif
  pipe_barrier(PIPE_ALL);
}
