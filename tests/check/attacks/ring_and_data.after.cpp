#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float* p, __gm__ float* q, int64_t n) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false> v = TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>(p, 0, 0);
  TPipe<4, Direction::DIR_V2C, 2048, 8, 8, false> w = TPipe<4, Direction::DIR_V2C, 2048, 8, 8, false>(q, 0, 0);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g;
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> data = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(p + 1048576);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) (0));
  TSTORE(data, a);
  TFREE<TPipe<4, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(w, g);

#endif
  pipe_barrier(PIPE_ALL);
}
