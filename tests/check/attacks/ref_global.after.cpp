#include "pto/pto-inst.hpp"
using namespace pto;
int64_t g = 8192;
static AICORE void go(int64_t& t) {
  t = 4096;
  g = 0;
  return;
}

extern "C" __global__ AICORE void k(__gm__ float* q, int64_t n) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  go(g);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) g);
  TADDS(a, a, f);
  
  TADDS(b, b, f);
#endif
  pipe_barrier(PIPE_ALL);
}
