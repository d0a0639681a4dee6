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

extern "C" __global__ AICORE void other_work_first(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: moved to lines 62 and 64: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [sink-into-arms] */ // expect: moved to TADDS(v20, v16 [sink-into-arms]
  if (v40 > v6) {
    TEXPANDS(v18, v8);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 59 [sink-into-arms]
    TADDS(v20, v16, v8);
  } else {
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 59 [sink-into-arms]
    TADDS(v20, v16, v9);
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v32, v20);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void no_other_way(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  if (v40 > v6) {
    TEXPANDS(v18, v8);
    TADDS(v20, v16, v8);
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v32, v20);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void arms_in_an_arm(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: moved to lines 173, 177 and 180: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [sink-into-arms] */ // expect: moved to TADDS(v20, v16 [sink-into-arms]
  if (v40 == v5) {
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 171 [sink-into-arms]
    TADDS(v20, v16, v8);
  } else {
    if (v40 == v6) {
      TEXPANDS(v18, v8);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 171 [sink-into-arms]
      TADDS(v20, v16, v9);
    } else {
      TEXPANDS(v18, v9);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 171 [sink-into-arms]
      TADDS(v20, v16, v8);
    }
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v32, v20);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void set_again_behind(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: moved to lines 236 and 238: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [sink-into-arms] */ // expect: moved to TADDS(v20, v16 [sink-into-arms]
  if (v40 > v6) {
    TEXPANDS(v18, v8);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 233 [sink-into-arms]
    TADDS(v20, v16, v8);
  } else {
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 233 [sink-into-arms]
    TADDS(v20, v16, v9);
  }
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v16, v29);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TADD(v20, v20, v16);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v32, v20);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void in_a_loop(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (int32_t v41 = v5; v41 < v40; v41 += v6) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v16, v26);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: moved to lines 304 and 307: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [sink-into-arms] */ // expect: moved to TADDS(v22, v16 [sink-into-arms]
    pipe_barrier(PIPE_V); // ptosync: keep(example) expect: kept protected
    if (v41 == v5) {
      TEXPANDS(v18, v8);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 300 [sink-into-arms]
      TADDS(v22, v16, v8);
    } else {
      TADDS(v18, v18, v9);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 300 [sink-into-arms]
      TADDS(v22, v16, v9);
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void the_loop_needs_it(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v40) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  const int64_t v13 = 6144;
  const int64_t v14 = 8192;
  const int64_t v15 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v30, v31);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (int32_t v41 = v5; v41 < v40; v41 += v6) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v16, v26);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    if (v41 == (int32_t) ((uint32_t) v40 - (uint32_t) v41)) {
      TEXPANDS(v18, v8);
      TADDS(v22, v16, v8);
    } else {
      TADDS(v18, v18, v9);
      TADDS(v22, v16, v9);
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
