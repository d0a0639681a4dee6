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

extern "C" __global__ AICORE void on_the_way_round(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 3;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v11;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v12;
  TASSIGN(v15, v16);
  pto::Shape<1, 1, 1, 8, 64> v17 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v18 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v19 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7), v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7), v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7), v23, v24);
  TLOAD(v13, v19);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0) [redundant-flag: with wait at 56] */ // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v15, v13, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v22, v15);
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  TSTORE(v25, v13);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void wrong_way_round(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 3;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 2048;
  const int64_t v13 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v12;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v13;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 8, 64> v20 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v21 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7), v20, v21);
  pto::Shape<1, 1, 1, 8, 64> v23 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v24 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7), v23, v24);
  pto::Shape<1, 1, 1, 8, 64> v26 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v27 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v7), v26, v27);
  TEXPANDS(v16, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v25, v16);
  TLOAD(v14, v22);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v18, v14, v9);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v28, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void on_one_path_only(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const int32_t v9 = 3;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  const int64_t v12 = 0;
  const int64_t v13 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v12;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v13;
  TASSIGN(v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v18 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v19 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8), v18, v19);
  pto::Shape<1, 1, 1, 8, 64> v21 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v22 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8), v21, v22);
  pto::Shape<1, 1, 1, 8, 64> v24 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v25 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8), v24, v25);
  TLOAD(v14, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  if (v4 > v9) {
    TADDS(v16, v14, v10);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v23, v16);
  }
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v26, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void not_justified_by_each_other(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v10;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 8, 64> v16 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v17 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6), v19, v20);
  TLOAD(v12, v18);
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [redundant-flag: with wait at 193] */ // expect: removed [redundant-flag]
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [redundant-flag: flag at 194] */ // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TADDS(v14, v12, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
