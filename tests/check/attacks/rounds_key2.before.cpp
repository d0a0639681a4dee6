#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float* p, __gm__ float* q, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (131072));
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(p);
  int64_t m2 = 40;
  if (n > 0) {
    m2 = 4;
  }
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (20 * 2048));
  for (int64_t i = 0; i < m2; i += 1) {
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) (i * 2048));
    TADDS(d, b, f);
    pipe_barrier(PIPE_V);
    TLOAD(a, g);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  }

#endif
  pipe_barrier(PIPE_ALL);
}
