#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  TASSIGN(v4, (uint64_t) 0);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v7(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v8(v2);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
  TLOAD(v4, v7);
  TADDS(v5, v4, 1.0f);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(v8, v5);
  pipe_barrier(PIPE_ALL);
  dsb((mem_dsb_t) 0);
}
