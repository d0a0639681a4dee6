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

extern "C" __global__ AICORE void nothing_new(__gm__ float* v1, __gm__ float* v2) {
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
  const int64_t v13 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v23, v24);
  TLOAD(v14, v22);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: flag at 53] */ // expect: removed [redundant-pipe-all]
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v16, v14, v7);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: nothing to order] */ // expect: removed [redundant-pipe-all]
  TSTORE(v25, v16);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void instead_of_flags(__gm__ float* v1, __gm__ float* v2) {
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
  const int64_t v13 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v23, v24);
  TLOAD(v14, v22);
  pipe_barrier(PIPE_ALL); // expect: kept RAW
  TADDS(v16, v14, v7);
  pipe_barrier(PIPE_ALL); // expect: kept RAW
  TSTORE(v25, v16);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void all_before_vector(__gm__ float* v1, __gm__ float* v2) {
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
  const int64_t v13 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v23, v24);
  TLOAD(v14, v22);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v16, v14, v7);
  pipe_barrier(PIPE_V); // expect: kept RAW
  /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: nothing to order] */ // expect: removed [redundant-pipe-all]
  TADD(v18, v16, v14);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v25, v18);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void scalar_flush(__gm__ int32_t* v1, __gm__ int32_t* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  int32_t v10 = v1[v3];
  v2[v5] = v10;
  v2[v3] = v10;
  pipe_barrier(PIPE_ALL); // expect: kept
  dcci((__gm__ void*)0, ENTIRE_DATA_CACHE, CACHELINE_OUT);
  dsb((mem_dsb_t)0);
  #endif // __DAV_VEC__

  return;
}

extern "C" __global__ AICORE void kept_by_intent(__gm__ float* v1, __gm__ float* v2) {
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
  const int64_t v13 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v12;
  TASSIGN(v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v22 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v23 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v22, v23);
  pto::Shape<1, 1, 1, 8, 64> v25 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v26 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v25, v26);
  TLOAD(v14, v24);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v16, v14, v7);
  pipe_barrier(PIPE_V); // ptosync: keep(timing) expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: moved from line 223 [raise-set]
  TADDS(v18, v14, v8);
  // ptosync: keep(timing)
  pipe_barrier(PIPE_V); // expect: kept
  TMULS(v20, v14, v8);
  /* ptosync: moved to line 219: set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [raise-set] */ // expect: moved to TADDS(v18 [raise-set]
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v27, v16);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
