#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4; TASSIGN(v4, 0);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5; TASSIGN(v5, 128);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6; TASSIGN(v6, 4096);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<32, 32, 32, 32, 1>, pto::Layout::ND> v7(v1 + 0);
  // Where the first tile lies an argument decides: it may be that of the addition.
  TASSIGN(v4, v3 * 1024);
  TLOAD(v4, v7);
  TADDS(v6, v5, 1.0f);
}
