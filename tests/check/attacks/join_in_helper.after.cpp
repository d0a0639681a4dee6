#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE void upd(int64_t& r, int64_t k) {
  if (k > 0) {
    r = 4096;
    return;
  }
  r = 0;
  return;
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  int64_t x = 0;
  int64_t y = 0;
  upd(x, n);
  upd(y, m);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (x));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (y + 4096));
  TADDS(b, b, f);
  
  TADDS(c, c, f);
#endif
  pipe_barrier(PIPE_ALL);
}
