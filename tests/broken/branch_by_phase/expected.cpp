#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  TASSIGN(v4, (uint64_t) 0);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  TASSIGN(v9, (uint64_t) 8192);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
  for (int32_t v6 = 0; v6 < v3; v6 += 1) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v7(v1 + v6 * 64);
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v8(v2 + v6 * 64);
    if (v6 % 2 == 0) {
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
      TLOAD(v4, v7);
      set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // ptosync: orders the write of v4 (line 17) before the read at line 20
      wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
      TSTORE(v8, v4);
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    } else {
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // ptosync: orders the read of v9 (line 27) before the write at line 24
      TLOAD(v9, v7);
      set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
      TSTORE(v8, v9);
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    }
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
  pipe_barrier(PIPE_ALL);
  dsb((mem_dsb_t) 0);
}
