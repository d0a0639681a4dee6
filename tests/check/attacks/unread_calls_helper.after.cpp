#include "pto/pto-inst.hpp"
using namespace pto;
static AICORE void sync() {
  
  return;
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  TADDS(b, b, f);
  sync();
#endif
  pipe_barrier(PIPE_ALL);
}

extern "C" __global__ AICORE void k2(__gm__ int32_t* p) {
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  do {
    TADDS(b, b, 1.0f);
    sync();
  } while (p[0] > 0);
#endif
  pipe_barrier(PIPE_ALL);
}
