#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, int32_t, 2, 64, BLayout::RowMajor, 2, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 65536);
  int64_t s = 128;
  if (n <= 0) {
    s = 65;
  }
  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 2, 64>, pto::Stride<-1, -1, -1, -1, 1>, pto::Layout::ND> g = GlobalTensor<int32_t, pto::Shape<1, 1, 1, 2, 64>, pto::Stride<-1, -1, -1, -1, 1>, pto::Layout::ND>(p, pto::Shape<1, 1, 1, 2, 64>(), pto::Stride<-1, -1, -1, -1, 1>(1024, 1024, 1024, s));
  TSTORE(g, a);
  pipe_barrier(PIPE_ALL);
  int32_t x = p[140];

#endif
  pipe_barrier(PIPE_ALL);
}
