#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3) {
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  TASSIGN(v4, (uint64_t) 0);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v7(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v8(v2);
  TLOAD(v4, v7);
  // ptosync: keep(handshake)
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(v5, v4, 1.0f);
  TMULS(v5, v5, 2.0f);
  // ptosync: keep(timing)
  pipe_barrier(PIPE_V);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(v8, v5);
  pipe_barrier(PIPE_ALL);
  dsb((mem_dsb_t) 0);
}
