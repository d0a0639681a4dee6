#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  GlobalTensor<int32_t, pto::Shape<1, 1, 1, -1, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = GlobalTensor<int32_t, pto::Shape<1, 1, 1, -1, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(p, pto::Shape<1, 1, 1, -1, 64>(8.0));
  TSTORE(g, a);
  int32_t x = p[256];

#endif
  pipe_barrier(PIPE_ALL);
}
