#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void release_before_return(__gm__ float* v1, int32_t v2, int32_t v3) {
  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v4 = TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>(v1, 147456, 147456);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v5(nullptr);
  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v4, v5);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6; TASSIGN(v6, (uint64_t) 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7; TASSIGN(v7, (uint64_t) 2048);
  TADDS(v7, v6, 1.0f);
  if (v2 > v3) {
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept hazard
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept hazard
  }
  return;
  #endif
}
