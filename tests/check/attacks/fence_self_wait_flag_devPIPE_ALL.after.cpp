#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  for (int64_t i = 0; i < n; i += 1) {
    wait_flag_dev(1);
    
  }
#endif
  pipe_barrier(PIPE_ALL);
}
