#include "pto/pto-inst.hpp"
using namespace pto;
template <typename A, typename B2, typename C>
AICORE inline void TADDS(A& x, int y, int z) {
  return;
}

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  TADDS(b, b, f);
  
  TADDS(b, b, f);
#endif
  pipe_barrier(PIPE_ALL);
}
