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

extern "C" __global__ AICORE void store_lanes(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 0;
  const int64_t v14 = 1;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  pto::Shape<1, 1, 1, 8, 64> v15 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v16 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v17 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v15, v16);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
  for (size_t v18 = (size_t) v5; v18 < ((size_t) v3); v18 += (size_t) v6) {
    int32_t v19 = (int32_t) ((uint32_t) ((int32_t) v18) * (uint32_t) v7);
    int32_t v20 = (int32_t) v18 % v10;
    bool v21 = v20 == v6;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
    uint64_t v23 = (uint64_t) (v21 ? v12 : v11);
    TASSIGN(v22, v23);
    event_t v24 = (event_t) (v21 ? v14 : v13);
    pto::Shape<1, 1, 1, 8, 64> v25 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v26 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + (unsigned) v19 * (unsigned) v7 + v4 * (unsigned) v6), v25, v26);
    wait_flag(PIPE_MTE3, PIPE_MTE2, v24); // expect: kept
    TLOAD(v22, v27);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_MTE3); // expect: kept WAW
    TSTORE(v17, v22);
    event_t v28 = (event_t) (v21 ? v14 : v13);
    set_flag(PIPE_MTE3, PIPE_MTE2, v28); // expect: kept
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void sum_lanes(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 0;
  const int64_t v15 = 1;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v13;
  TASSIGN(v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v18 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v19 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v18, v19);
  TLOAD(v16, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  /* ptosync: moved to line 118: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2) [sink-wait] */ // expect: moved to set_flag(PIPE_V, PIPE_MTE3 [sink-wait]
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  for (size_t v21 = (size_t) v5; v21 < ((size_t) v3); v21 += (size_t) v6) {
    int32_t v22 = (int32_t) ((uint32_t) ((int32_t) v21) * (uint32_t) v7);
    int32_t v23 = (int32_t) v21 % v10;
    bool v24 = v23 == v6;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
    uint64_t v26 = (uint64_t) (v24 ? v12 : v11);
    TASSIGN(v25, v26);
    event_t v27 = (event_t) (v24 ? v15 : v14);
    pto::Shape<1, 1, 1, 8, 64> v28 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v29 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + (unsigned) v22 * (unsigned) v7 + v4 * (unsigned) v6), v28, v29);
    wait_flag(PIPE_V, PIPE_MTE2, v27); // expect: kept
    TLOAD(v25, v30);
    set_flag(PIPE_MTE2, PIPE_V, v27); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, v27); // expect: kept
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADD(v16, v16, v25);
    set_flag(PIPE_V, PIPE_MTE2, v27); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // ptosync: moved from line 94 [sink-wait]
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v20, v16);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
