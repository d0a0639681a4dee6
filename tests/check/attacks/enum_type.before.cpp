#include "pto/pto-inst.hpp"
using namespace pto;
enum class float16_t : int8_t { kA };

extern "C" __global__ AICORE void k(__gm__ int32_t* p) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  __gm__ float16_t* r = (__gm__ float16_t*) p;
  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>((__gm__ int32_t*) (r + 16));
  TSTORE(g, a);
  pipe_barrier(PIPE_ALL);
  int32_t x = p[4];

#endif
  pipe_barrier(PIPE_ALL);
}
