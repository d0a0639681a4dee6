#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  for (int64_t i = 0; i < n; i += 1) {
    for (int64_t j = 0; j < 4; j += 1) {
      int64_t w = j;
    }
    
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> e;
  TASSIGN(e, (uint64_t) ((i - 1) * 4096 + 65536));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (i * 4096 + 65536));
    TADDS(e, e, f);
    TADDS(c, c, f);
  }
#endif
  pipe_barrier(PIPE_ALL);
}
