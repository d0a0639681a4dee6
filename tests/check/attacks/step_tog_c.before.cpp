#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  int64_t s = 8192;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 12288);
  for (int64_t i = 0; i < 40000; i += s) {
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) i);
  s = 12288 - s;
  pipe_barrier(PIPE_ALL);
  if (s == 4096) {
  TADDS(b, b, f);
  pipe_barrier(PIPE_V);
  TADDS(c, c, f);
  }
  }
#endif
  pipe_barrier(PIPE_ALL);
}
