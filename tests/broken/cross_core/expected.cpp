#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  #if defined(__DAV_CUBE__)
  Tile<TileType::Mat, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  TASSIGN(v20, (uint64_t) 0);
  TLOAD(v20, v1);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  #endif
  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  TASSIGN(v4, (uint64_t) 0);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v7(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v8(v2);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  TLOAD(v4, v7);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(v5, v4, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(v8, v5);
  #endif
  pipe_barrier(PIPE_ALL);
}
