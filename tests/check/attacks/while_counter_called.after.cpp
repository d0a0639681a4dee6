#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE int64_t next(int64_t& x) {
  x += 1;
  return x;
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  int64_t i = 0;
  for (; next(i) < n; i += 1) {
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (i * 4096 + 65536));
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) ((i - 2) * 4096 + 65536));
    TADDS(c, c, f);
    pipe_barrier(PIPE_V);
    TADDS(b, b, f);
    
  }
#endif
  pipe_barrier(PIPE_ALL);
}
