#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE void go(Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>& t, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>& u) {
  TASSIGN(t, (uint64_t) 0);
  return;
}

extern "C" __global__ AICORE void k(__gm__ float* q, int64_t n) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 8192);
  go(b, b);
  TADDS(a, a, f);
  pipe_barrier(PIPE_V);
  TADDS(b, b, f);
#endif
  pipe_barrier(PIPE_ALL);
}
