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

extern "C" __global__ AICORE void carried_raw(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 4096;
  const int64_t v12 = 8192;
  const int64_t v13 = 12288;
  const int64_t v14 = 16384;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v10;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v11;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 16, 64> v19 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v20 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  pto::Shape<1, 1, 1, 16, 64> v22 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v23 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v22, v23);
  TLOAD(v15, v21);
  TLOAD(v17, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v25 = (size_t) v5; v25 < ((size_t) v3); v25 += (size_t) v6) {
    TADD(v17, v17, v15);
    pipe_barrier(PIPE_V); // expect: kept RAW
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v24, v17);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void carried_but_drained(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int32_t v11 = 16;
  const int64_t v12 = 0;
  const int64_t v13 = 4096;
  const int64_t v14 = 8192;
  const int64_t v15 = 12288;
  const int64_t v16 = 16384;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v16;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 16, 64> v23 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v24 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v23, v24);
  pto::Shape<1, 1, 1, 16, 64> v26 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v27 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v26, v27);
  TLOAD(v19, v25);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (size_t v29 = (size_t) v6; v29 < ((size_t) v4); v29 += (size_t) v7) {
    int32_t v30 = (int32_t) ((uint32_t) ((int32_t) v29) * (uint32_t) v11);
    pto::Shape<1, 1, 1, 16, 64> v31 = pto::Shape<1, 1, 1, 16, 64>();
    pto::Stride<1024, 1024, 1024, 64, 1> v32 = pto::Stride<1024, 1024, 1024, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v33 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v5 + (unsigned) v30 * (unsigned) v8 + v5 * (unsigned) v7), v31, v32);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v21, v33);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    TADD(v19, v19, v21);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 109] */ // expect: removed [redundant-pipe-v]
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v28, v19);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void carried_war(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  pto::Shape<1, 1, 1, 8, 64> v22 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v23 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v22, v23);
  TLOAD(v13, v21);
  TLOAD(v17, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v25 = (size_t) v5; v25 < ((size_t) v3); v25 += (size_t) v6) {
    pipe_barrier(PIPE_V); // expect: kept WAR
    TMULS(v15, v13, v9);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(v17, v15, v8);
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v24, v17);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void carried_waw(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 4096;
  const int64_t v12 = 8192;
  const int64_t v13 = 12288;
  const int64_t v14 = 16384;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v10;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v12;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 16, 64> v19 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v20 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  pto::Shape<1, 1, 1, 16, 64> v22 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v23 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v22, v23);
  TLOAD(v15, v21);
  TLOAD(v17, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v25 = (size_t) v5; v25 < ((size_t) v3); v25 += (size_t) v6) {
    TADDS(v17, v15, v8);
    pipe_barrier(PIPE_V); // expect: kept WAW
  }
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v24, v17);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void straight_war_and_waw(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int64_t v9 = 0;
  const int64_t v10 = 4096;
  const int64_t v11 = 8192;
  const int64_t v12 = 12288;
  const int64_t v13 = 16384;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 16, 64> v20 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v21 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v20, v21);
  pto::Shape<1, 1, 1, 16, 64> v23 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v24 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v23, v24);
  TLOAD(v14, v22);
  TLOAD(v16, v22);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADD(v18, v16, v14);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: moved from line 260 [raise-set]
  pipe_barrier(PIPE_V); // expect: kept WAR
  TADDS(v16, v14, v7);
  pipe_barrier(PIPE_V); // expect: kept WAW
  TMULS(v16, v14, v8);
  /* ptosync: moved to line 256: set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [raise-set] */ // expect: moved to pipe_barrier(PIPE_V [raise-set]
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v25, v18);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void one_of_two(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int64_t v9 = 0;
  const int64_t v10 = 2048;
  const int64_t v11 = 4096;
  const int64_t v12 = 6144;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v9;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v10;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v11;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v12;
  TASSIGN(v19, v20);
  pto::Shape<1, 1, 1, 8, 64> v21 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v22 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v21, v22);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v24, v25);
  TLOAD(v13, v23);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v15, v13, v7);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 309] */ // expect: removed [redundant-pipe-v]
  TMULS(v17, v13, v8);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADD(v19, v15, v13);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v26, v19);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void shared_scratch(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int32_t v11 = 16;
  const int64_t v12 = 0;
  const int64_t v13 = 4096;
  const int64_t v14 = 8192;
  const int64_t v15 = 12288;
  const int64_t v16 = 16384;
  const int64_t v17 = 16448;
  const int64_t v18 = 16512;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v12;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v13;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v14;
  TASSIGN(v23, v24);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v15;
  TASSIGN(v25, v26);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v16;
  TASSIGN(v27, v28);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v17;
  TASSIGN(v29, v30);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v18;
  TASSIGN(v31, v32);
  pto::Shape<1, 1, 1, 16, 64> v33 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v34 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v35 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v33, v34);
  pto::Shape<1, 1, 1, 16, 1> v36 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v37 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v38 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v2 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v11), v36, v37);
  pto::Shape<1, 1, 1, 16, 1> v39 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v40 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v41 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v3 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v11), v39, v40);
  pto::Shape<1, 1, 1, 16, 1> v42 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v43 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v44 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v4 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v11), v42, v43);
  TLOAD(v19, v35);
  TLOAD(v21, v35);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TROWSUM(v27, v19, v23);
  pipe_barrier(PIPE_V); // expect: kept; library: removed
  TROWSUM(v29, v21, v23);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TROWMAX(v31, v19, v25);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v38, v27);
  TSTORE(v41, v29);
  TSTORE(v44, v31);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
