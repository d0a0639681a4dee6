#include "pto/pto-inst.hpp"
using namespace pto;

enum class PTOAutoSyncTailMode : int {
  kBarrierAll = 0,
  kSetWaitMte3ToSEvent0 = 1,
};

static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  if (mode == PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0) {
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    return;
  }
  pipe_barrier(PIPE_ALL);
}

extern "C" __global__ AICORE void ping_pong(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int64_t v7 = 0;
  const int64_t v8 = 2048;
  const int64_t v9 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  uint64_t v11 = (uint64_t) v7;
  TASSIGN(v10, v11);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v8;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 8, 64> v16 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v17 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, v16, v17);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v19 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v16, v17);
  TEXPANDS(v14, 0.0f);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved [raise-set]
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: moved [raise-set]
  for (size_t v20 = (size_t) v4; v20 < ((size_t) v3); v20 += (size_t) v5) {
    if ((int32_t) v20 % v6 == v4) {
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
      TLOAD(v10, v18);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
      pipe_barrier(PIPE_V); // expect: kept
      TADD(v14, v14, v10);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
    } else {
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept hazard
      TLOAD(v12, v18);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
      pipe_barrier(PIPE_V); // expect: kept
      TADD(v14, v14, v12);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept hazard
    }
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept hazard
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v19, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
