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

extern "C" __global__ AICORE void one_arm(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 6144;
  const int64_t v15 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v11;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v12;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v18, v16, v9);
  if (v4 == v6) {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v20, v18, v10);
  } else {
    TMULS(v20, v16, v10);
  };
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADD(v22, v18, v16);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v20);
  TSTORE(v32, v22);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void both_arms(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 6144;
  const int64_t v15 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v11;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v12;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v30, v31);
  TLOAD(v16, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v18, v16, v9);
  if (v4 == v6) {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v20, v18, v10);
  } else {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v20, v18, v9);
  };
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TADD(v22, v18, v16);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v20);
  TSTORE(v32, v22);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void opposite_arms(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 6144;
  const int64_t v15 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v11;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v12;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v30, v31);
  TLOAD(v16, v26);
  TLOAD(v18, v26);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v20, v16, v9);
  if (v4 == v6) {
    TMULS(v18, v16, v10);
  } else {
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    TADD(v22, v18, v16);
  };
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v20);
  TSTORE(v32, v18);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void arms_in_a_loop(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int32_t v11 = 2;
  const int64_t v12 = 0;
  const int64_t v13 = 2048;
  const int64_t v14 = 4096;
  const int64_t v15 = 6144;
  const int64_t v16 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v14;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v15;
  TASSIGN(v23, v24);
  pto::Shape<1, 1, 1, 8, 64> v25 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v26 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v25, v26);
  pto::Shape<1, 1, 1, 8, 64> v28 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v29 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v28, v29);
  pto::Shape<1, 1, 1, 8, 64> v31 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v32 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v33 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v31, v32);
  TLOAD(v17, v27);
  TLOAD(v19, v27);
  TLOAD(v23, v27);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v34 = (size_t) v6; v34 < ((size_t) v4); v34 += (size_t) v7) {
    if ((int32_t) v34 % v11 == v6) {
      pipe_barrier(PIPE_V); // expect: kept
      TMULS(v19, v17, v10);
    } else {
      pipe_barrier(PIPE_V); // expect: kept
      TADD(v23, v19, v17);
    };
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v30, v19);
  TSTORE(v33, v23);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void tile_assigned_on_one_arm(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 6144;
  const int64_t v15 = 8192;
  const int64_t v16 = 10240;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v11;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v15;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v14;
  TASSIGN(v23, v24);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v16;
  TASSIGN(v25, v26);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v30, v31);
  pto::Shape<1, 1, 1, 8, 64> v33 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v34 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v35 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v33, v34);
  TLOAD(v17, v29);
  TLOAD(v19, v29);
  TLOAD(v21, v29);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v36;
  uint64_t v37 = (uint64_t) v12;
  TASSIGN(v36, v37);
  if (v4 == v6) {
    uint64_t v38 = (uint64_t) v13;
    TASSIGN(v36, v38);
  };
  TMULS(v36, v17, v10);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 318] */ // expect: removed [redundant-pipe-v]
  TADD(v25, v21, v17);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADD(v23, v19, v17);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v32, v25);
  TSTORE(v35, v23);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
