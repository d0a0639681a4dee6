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

extern "C" __global__ AICORE void ring_of_three(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int32_t v11 = 3;
  const int32_t v12 = 16;
  const int64_t v13 = 0;
  const int64_t v14 = 4096;
  const int64_t v15 = 8192;
  const int64_t v16 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v16;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 16, 64> v19 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v20 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  TLOAD(v17, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v22 = (size_t) v5; v22 < ((size_t) v3); v22 += (size_t) v6) {
    int32_t v23 = (int32_t) v22 % v11;
    bool v24 = v23 == v6;
    bool v25 = v23 == v10;
    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v26;
    uint64_t v27 = (uint64_t) (v24 ? v14 : v25 ? v15 : v13);
    TASSIGN(v26, v27);
    int32_t v28 = (int32_t) ((uint32_t) ((int32_t) v22) * (uint32_t) v12);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    TMULS(v26, v17, v9);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 16, 64> v29 = pto::Shape<1, 1, 1, 16, 64>();
    pto::Stride<1024, 1024, 1024, 64, 1> v30 = pto::Stride<1024, 1024, 1024, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + (unsigned) v28 * (unsigned) v7 + v4 * (unsigned) v6), v29, v30);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // ptosync: moved from line 64 [raise-set]
    TSTORE(v31, v26);
    /* ptosync: moved to line 63: set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0) [raise-set] */ // expect: moved to TSTORE(v31 [raise-set]
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void ring_of_two(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int32_t v11 = 3;
  const int32_t v12 = 16;
  const int64_t v13 = 0;
  const int64_t v14 = 4096;
  const int64_t v15 = 8192;
  const int64_t v16 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v16;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 16, 64> v19 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v20 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  TLOAD(v17, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v22 = (size_t) v5; v22 < ((size_t) v3); v22 += (size_t) v6) {
    int32_t v23 = (int32_t) v22 % v10;
    bool v24 = v23 == v6;
    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
    uint64_t v26 = (uint64_t) (v24 ? v14 : v13);
    TASSIGN(v25, v26);
    int32_t v27 = (int32_t) ((uint32_t) ((int32_t) v22) * (uint32_t) v12);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 111] */ // expect: removed [redundant-pipe-v]
    TMULS(v25, v17, v9);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 16, 64> v28 = pto::Shape<1, 1, 1, 16, 64>();
    pto::Stride<1024, 1024, 1024, 64, 1> v29 = pto::Stride<1024, 1024, 1024, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + (unsigned) v27 * (unsigned) v7 + v4 * (unsigned) v6), v28, v29);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v30, v25);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void ring_in_place(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int32_t v11 = 3;
  const int32_t v12 = 16;
  const int64_t v13 = 0;
  const int64_t v14 = 4096;
  const int64_t v15 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 48, 64, BLayout::RowMajor, 48, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v13;
  TASSIGN(v16, v17);
  pto::Shape<1, 1, 1, 48, 64> v18 = pto::Shape<1, 1, 1, 48, 64>();
  pto::Stride<3072, 3072, 3072, 64, 1> v19 = pto::Stride<3072, 3072, 3072, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v18, v19);
  TLOAD(v16, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v21 = (size_t) v5; v21 < ((size_t) v3); v21 += (size_t) v6) {
    int32_t v22 = (int32_t) v21 % v11;
    bool v23 = v22 == v6;
    bool v24 = v22 == v10;
    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
    uint64_t v26 = (uint64_t) (v23 ? v14 : v24 ? v15 : v13);
    TASSIGN(v25, v26);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v25, v25, v9);
  }
  pto::Shape<1, 1, 1, 48, 64> v27 = pto::Shape<1, 1, 1, 48, 64>();
  pto::Stride<3072, 3072, 3072, 64, 1> v28 = pto::Stride<3072, 3072, 3072, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v16);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void one_slot(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 2;
  const int32_t v11 = 3;
  const int32_t v12 = 16;
  const int64_t v13 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v13;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 16, 64> v16 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v17 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v16, v17);
  TLOAD(v14, v18);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v19 = (size_t) v5; v19 < ((size_t) v3); v19 += (size_t) v6) {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v14, v14, v9);
  }
  pto::Shape<1, 1, 1, 16, 64> v20 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v21 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v20, v21);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v22, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
