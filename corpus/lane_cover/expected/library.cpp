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

extern "C" __global__ AICORE void ring_of_three_is_late(__gm__ float* v1, int32_t v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int32_t v11 = 3;
  const int64_t v12 = 0;
  const int64_t v13 = 2048;
  const int64_t v14 = 0;
  const int64_t v15 = 1;
  const int64_t v16 = 2;
  const int64_t v17 = 3;
  const int64_t v18 = 4;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  /* ptosync: removed set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2) [redundant-flag: with waits at 60, 70, 71 and 72] */ // expect: removed [redundant-flag]
  /* ptosync: removed set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3) [redundant-flag: with waits at 60, 70, 71 and 72] */ // expect: removed [redundant-flag]
  /* ptosync: removed set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4) [redundant-flag: with waits at 60, 70, 71 and 72] */ // expect: removed [redundant-flag]
  for (size_t v19 = (size_t) v4; v19 < ((size_t) v2); v19 += (size_t) v5) {
    int32_t v20 = (int32_t) v19 % v10;
    bool v21 = v20 == v5;
    int32_t v22 = (int32_t) v19 % v11;
    bool v23 = v22 == v5;
    bool v24 = v22 == v10;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
    uint64_t v26 = (uint64_t) (v21 ? v13 : v12);
    TASSIGN(v25, v26);
    pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v27, v28);
    event_t v30 = (event_t) (v21 ? v15 : v14);
    event_t v31 = (event_t) (v24 ? v18 : v23 ? v17 : v16);
    wait_flag(PIPE_V, PIPE_MTE2, v30); // expect: kept
    /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE2, v31) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
    TLOAD(v25, v29);
    set_flag(PIPE_MTE2, PIPE_V, v30); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, v30); // expect: kept
    TADDS(v25, v25, v8);
    set_flag(PIPE_V, PIPE_MTE2, v30); // expect: kept
    /* ptosync: removed set_flag(PIPE_V, PIPE_MTE2, v31) [redundant-flag: with waits at 60, 70, 71 and 72] */ // expect: removed [redundant-flag]
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void another_lane(__gm__ float* v1, int32_t v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
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
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  for (size_t v15 = (size_t) v4; v15 < ((size_t) v2); v15 += (size_t) v5) {
    int32_t v16 = (int32_t) v15 % v10;
    bool v17 = v16 == v5;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
    uint64_t v19 = (uint64_t) (v17 ? v12 : v11);
    TASSIGN(v18, v19);
    pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v20, v21);
    event_t v23 = (event_t) (v17 ? v14 : v13);
    event_t v24 = (event_t) (v17 ? v13 : v14);
    wait_flag(PIPE_V, PIPE_MTE2, v23); // expect: kept
    TLOAD(v18, v22);
    set_flag(PIPE_MTE2, PIPE_V, v23); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, v23); // expect: kept
    TADDS(v18, v18, v8);
    set_flag(PIPE_V, PIPE_MTE2, v23); // expect: kept
    /* ptosync: removed set_flag(PIPE_V, PIPE_MTE3, v24) [redundant-flag: with wait at 117] */ // expect: removed [redundant-flag]
    /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE3, v24) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void out_of_step(__gm__ float* v1, int32_t v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
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
  for (size_t v15 = (size_t) v4; v15 < ((size_t) v2); v15 += (size_t) v5) {
    int32_t v16 = (int32_t) v15 % v10;
    bool v17 = v16 == v5;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
    uint64_t v19 = (uint64_t) (v17 ? v12 : v11);
    TASSIGN(v18, v19);
    pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v20, v21);
    event_t v23 = (event_t) (v17 ? v14 : v13);
    event_t v24 = (event_t) (v17 ? v13 : v14);
    TLOAD(v18, v22);
    set_flag(PIPE_MTE2, PIPE_V, v23); // expect: kept unbalanced
    wait_flag(PIPE_MTE2, PIPE_V, v24); // expect: kept unbalanced
    TADDS(v18, v18, v8);
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
