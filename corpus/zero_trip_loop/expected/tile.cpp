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

extern "C" __global__ AICORE void maybe_no_trip(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
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
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v14;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v23, v24);
  TLOAD(v15, v25);
  TLOAD(v19, v25);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v17, v15, v9);
  for (size_t v26 = (size_t) v6; v26 < ((size_t) v4); v26 += (size_t) v7) {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v19, v19, v10);
  }
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADD(v21, v17, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v30, v31);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v19);
  TSTORE(v32, v21);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void four_trips(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 4;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  const int64_t v14 = 6144;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v14;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v8 + v4 * (unsigned) v6), v23, v24);
  TLOAD(v15, v25);
  TLOAD(v19, v25);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v17, v15, v9);
  for (size_t v26 = (size_t) v5; v26 < ((size_t) v7); v26 += (size_t) v6) {
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMULS(v19, v19, v10);
  }
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TADD(v21, v17, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v8 + v4 * (unsigned) v6), v27, v28);
  pto::Shape<1, 1, 1, 8, 64> v30 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v31 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v8 + v4 * (unsigned) v6), v30, v31);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v29, v19);
  TSTORE(v32, v21);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void maybe_no_flag(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, __gm__ float* v4, int32_t v5) {
  unsigned v6 = 0;
  const int32_t v7 = 0;
  const int32_t v8 = 1;
  const int32_t v9 = 8;
  const int32_t v10 = 64;
  const float v11 = 1.0f;
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
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v16;
  TASSIGN(v25, v26);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v6 + v6 * (unsigned) v10 + v6 * (unsigned) v8), v27, v28);
  TLOAD(v17, v29);
  TLOAD(v25, v29);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v19, v17, v11);
  for (size_t v30 = (size_t) v7; v30 < ((size_t) v5); v30 += (size_t) v8) {
    int32_t v31 = (int32_t) ((uint32_t) ((int32_t) v30) * (uint32_t) v9);
    pto::Shape<1, 1, 1, 8, 64> v32 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v33 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v34 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v6 + (unsigned) v31 * (unsigned) v10 + v6 * (unsigned) v8), v32, v33);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v21, v34);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    TADD(v25, v25, v21);
  }
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADD(v23, v19, v17);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 8, 64> v35 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v36 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v37 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v6 + v6 * (unsigned) v10 + v6 * (unsigned) v8), v35, v36);
  pto::Shape<1, 1, 1, 8, 64> v38 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v39 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v40 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v4 + (v6 + v6 * (unsigned) v10 + v6 * (unsigned) v8), v38, v39);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v37, v25);
  TSTORE(v40, v23);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void three_flags(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 3;
  const int32_t v9 = 8;
  const int32_t v10 = 64;
  const float v11 = 1.0f;
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
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v16;
  TASSIGN(v25, v26);
  pto::Shape<1, 1, 1, 8, 64> v27 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v28 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v10 + v5 * (unsigned) v7), v27, v28);
  TLOAD(v17, v29);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line 244 [raise-set]
  TLOAD(v25, v29);
  /* ptosync: moved to line 243: set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [raise-set] */ // expect: moved to TLOAD(v25 [raise-set]
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v19, v17, v11);
  for (size_t v30 = (size_t) v6; v30 < ((size_t) v8); v30 += (size_t) v7) {
    int32_t v31 = (int32_t) ((uint32_t) ((int32_t) v30) * (uint32_t) v9);
    pto::Shape<1, 1, 1, 8, 64> v32 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v33 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v34 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + (unsigned) v31 * (unsigned) v10 + v5 * (unsigned) v7), v32, v33);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v21, v34);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    TADD(v25, v25, v21);
  }
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TADD(v23, v19, v17);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 8, 64> v35 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v36 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v37 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v10 + v5 * (unsigned) v7), v35, v36);
  pto::Shape<1, 1, 1, 8, 64> v38 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v39 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v40 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v4 + (v5 + v5 * (unsigned) v10 + v5 * (unsigned) v7), v38, v39);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v37, v25);
  TSTORE(v40, v23);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
