#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE uint32_t get(__gm__ uint32_t* r, int64_t k) {
  uint32_t v = r[k] & 1;
  return v;
}

extern "C" __global__ AICORE void k(__gm__ uint32_t* r) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  uint32_t x = get(r, 0), y = get(r, 1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (x*4096));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (y*4096 + 4096));
  TADDS(b, b, f);
  
  TADDS(c, c, f);
#endif
  pipe_barrier(PIPE_ALL);
}
