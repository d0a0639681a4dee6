#include "pto/pto-inst.hpp"
using namespace pto;
AICORE unsigned long w(int64_t x) {
  return x;
}

extern "C" __global__ AICORE void k(__gm__ float* p, __gm__ float* q, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  auto y = w(-1);
  int64_t z = 8192;
  if (y > 5) {
    z = 4096;
  }
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) (65536));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (4096));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (z));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (131072));
  TADDS(b, a, f);
  TADDS(d, c, f);
#endif
  pipe_barrier(PIPE_ALL);
}
