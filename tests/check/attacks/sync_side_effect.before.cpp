#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 4096);
  int64_t e = 0;
  set_flag(PIPE_V, PIPE_MTE2, e++);
  wait_flag(PIPE_V, PIPE_MTE2, e - 1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (4096 + e * 8192));
  pipe_barrier(PIPE_MTE2);
  TADDS(b, b, f);
  pipe_barrier(PIPE_V);
  TADDS(c, c, f);

#endif
  pipe_barrier(PIPE_ALL);
}
