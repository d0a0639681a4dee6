#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  TASSIGN(v4, (uint64_t) 0);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  TASSIGN(v9, (uint64_t) 8192);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v7(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v8(v1 + 1024);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v10(v2);
  TLOAD(v4, v7);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // ptosync: orders the write of v4 (line 13) before the read at line 20
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [fix] */
  TLOAD(v9, v8);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // ptosync: orders the write of v4 (line 13) before the read at line 20
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [fix] */
  TADDS(v5, v4, 1.0f);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  pipe_barrier(PIPE_V);
  TADD(v5, v5, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(v10, v5);
  pipe_barrier(PIPE_ALL);
  dsb((mem_dsb_t) 0);
}
