#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float** r) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>((__gm__ int32_t*) r + 16);
  TSTORE(g, a);
  pipe_barrier(PIPE_ALL);
  auto x = r[8];

#endif
  pipe_barrier(PIPE_ALL);
}
