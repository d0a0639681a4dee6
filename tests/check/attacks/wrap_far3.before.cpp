#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  uint32_t x = (uint32_t) n;
  uint32_t y = x + 2147483648 + 2147483648 + 2147483648 + 2147483648;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (x));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (y));
  TADDS(b, b, f);
  pipe_barrier(PIPE_V);
  TADDS(c, c, f);
#endif
  pipe_barrier(PIPE_ALL);
}
