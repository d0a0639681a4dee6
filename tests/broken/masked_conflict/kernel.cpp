#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4; TASSIGN(v4, 0);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5; TASSIGN(v5, 128);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6; TASSIGN(v6, 4096);
  Tile<TileType::Vec, uint8_t, 2, 32, BLayout::RowMajor, 1, 4, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9; TASSIGN(v9, 8192);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<32, 32, 32, 32, 1>, pto::Layout::ND> v7(v1 + 0);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<32, 32, 32, 32, 1>, pto::Layout::ND> v8(v1 + 32);
  TLOAD(v4, v7);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TLOAD(v5, v8);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  // Reads v5 for certain, and of v4 perhaps more than the tile, which ends where v5 begins.
  TPRELU(v6, v4, v5, v9);
}
