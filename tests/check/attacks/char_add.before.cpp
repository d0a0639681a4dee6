#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, __gm__ int32_t* q, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = GlobalTensor<int32_t, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(p + 80);
  TSTORE(g, a);
  pipe_barrier(PIPE_ALL);
  __gm__ int32_t* r = p + 'a';
  int32_t x = r[0];

#endif
  pipe_barrier(PIPE_ALL);
}
