#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (int8_t) 0);
  for (int64_t i = 0; i < n; i += 1) {
  pipe_barrier(PIPE_ALL);
  TADDS(b, b, f);
  
  TADDS(c, c, f);
  TASSIGN(c, (uint64_t) 4096);
  }
#endif
  pipe_barrier(PIPE_ALL);
}
