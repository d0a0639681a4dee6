#include "pto/pto-inst.hpp"
using namespace pto;
template <typename event_t>
static AICORE void go(Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>& b) {
#if defined(__DAV_VEC__)
  event_t x = 256 * 32;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) x);
  TADDS(b, b, 1.0f);
  
  TADDS(c, c, 1.0f);
#endif
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 0);
  go<uint8_t>(b);
#endif
  pipe_barrier(PIPE_ALL);
}
