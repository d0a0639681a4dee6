#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE void bump(Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>& b) {
#if defined(__DAV_VEC__)
  static int64_t x = 0;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) x);
  pipe_barrier(PIPE_V);
  TADDS(b, b, 1.0f);
  
  TADDS(c, c, 1.0f);
  x += 4096;
#endif
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 8192);
  for (int64_t i = 0; i < 4; i += 1) {
    bump(b);
  }
#endif
  pipe_barrier(PIPE_ALL);
}
