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

extern "C" __global__ AICORE void four_for_three_ahead(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v9;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v11;
  TASSIGN(v23, v24);
  TEXPANDS(v15, 1.0f);
  TEXPANDS(v17, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TEXP(v19, v17);
  TEXP(v21, v17);
  TEXP(v23, v17);
  for (size_t v25 = (size_t) v4; v25 < ((size_t) v3); v25 += (size_t) v5) {
    size_t v26 = (v25 + (size_t) v7) % (size_t) v8;
    bool v27 = v26 == (size_t) v5;
    bool v28 = v26 == (size_t) v6;
    bool v29 = v26 == (size_t) v7;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v30;
    uint64_t v31 = (uint64_t) (v27 ? v10 : v28 ? v11 : v29 ? v12 : v9);
    TASSIGN(v30, v31);
    size_t v32 = v25 % (size_t) v8;
    bool v33 = v32 == (size_t) v5;
    bool v34 = v32 == (size_t) v6;
    bool v35 = v32 == (size_t) v7;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v36;
    uint64_t v37 = (uint64_t) (v33 ? v10 : v34 ? v11 : v35 ? v12 : v9);
    TASSIGN(v36, v37);
    pipe_barrier(PIPE_V); // expect: kept
    TEXP(v30, v17);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed
    TMUL(v15, v15, v36);
  }
  pto::Shape<1, 1, 1, 4, 64> v38 = pto::Shape<1, 1, 1, 4, 64>();
  pto::Stride<256, 256, 256, 64, 1> v39 = pto::Stride<256, 256, 256, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v40 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2, v38, v39);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v40, v15);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void three_read_first(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v9;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v11;
  TASSIGN(v23, v24);
  TEXPANDS(v15, 1.0f);
  TEXPANDS(v17, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TEXP(v19, v17);
  TEXP(v21, v17);
  TEXP(v23, v17);
  for (size_t v25 = (size_t) v4; v25 < ((size_t) v3); v25 += (size_t) v5) {
    size_t v26 = (v25 + (size_t) v7) % (size_t) v7;
    bool v27 = v26 == (size_t) v5;
    bool v28 = v26 == (size_t) v6;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
    uint64_t v30 = (uint64_t) (v27 ? v10 : v28 ? v11 : v9);
    TASSIGN(v29, v30);
    size_t v31 = v25 % (size_t) v7;
    bool v32 = v31 == (size_t) v5;
    bool v33 = v31 == (size_t) v6;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v34;
    uint64_t v35 = (uint64_t) (v32 ? v10 : v33 ? v11 : v9);
    TASSIGN(v34, v35);
    pipe_barrier(PIPE_V); // expect: kept
    TMUL(v15, v15, v34);
    pipe_barrier(PIPE_V); // expect: kept
    TEXP(v29, v17);
  }
  pto::Shape<1, 1, 1, 4, 64> v36 = pto::Shape<1, 1, 1, 4, 64>();
  pto::Stride<256, 256, 256, 64, 1> v37 = pto::Stride<256, 256, 256, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v38 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2, v36, v37);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v38, v15);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void three_written_first(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v9;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v11;
  TASSIGN(v23, v24);
  TEXPANDS(v15, 1.0f);
  TEXPANDS(v17, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TEXP(v19, v17);
  TEXP(v21, v17);
  TEXP(v23, v17);
  for (size_t v25 = (size_t) v4; v25 < ((size_t) v3); v25 += (size_t) v5) {
    size_t v26 = (v25 + (size_t) v7) % (size_t) v7;
    bool v27 = v26 == (size_t) v5;
    bool v28 = v26 == (size_t) v6;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
    uint64_t v30 = (uint64_t) (v27 ? v10 : v28 ? v11 : v9);
    TASSIGN(v29, v30);
    size_t v31 = v25 % (size_t) v7;
    bool v32 = v31 == (size_t) v5;
    bool v33 = v31 == (size_t) v6;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v34;
    uint64_t v35 = (uint64_t) (v32 ? v10 : v33 ? v11 : v9);
    TASSIGN(v34, v35);
    pipe_barrier(PIPE_V); // expect: kept
    TEXP(v29, v17);
    pipe_barrier(PIPE_V); // expect: kept
    TMUL(v15, v15, v34);
  }
  pto::Shape<1, 1, 1, 4, 64> v36 = pto::Shape<1, 1, 1, 4, 64>();
  pto::Stride<256, 256, 256, 64, 1> v37 = pto::Stride<256, 256, 256, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v38 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2, v36, v37);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v38, v15);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void two_for_three_ahead(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v9;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v9;
  TASSIGN(v23, v24);
  TEXPANDS(v15, 1.0f);
  TEXPANDS(v17, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TEXP(v19, v17);
  TEXP(v21, v17);
  pipe_barrier(PIPE_V); // expect: kept
  TEXP(v23, v17);
  for (size_t v25 = (size_t) v4; v25 < ((size_t) v3); v25 += (size_t) v5) {
    size_t v26 = (v25 + (size_t) v7) % (size_t) v6;
    bool v27 = v26 == (size_t) v5;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v28;
    uint64_t v29 = (uint64_t) (v27 ? v10 : v9);
    TASSIGN(v28, v29);
    size_t v30 = v25 % (size_t) v6;
    bool v31 = v30 == (size_t) v5;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v32;
    uint64_t v33 = (uint64_t) (v31 ? v10 : v9);
    TASSIGN(v32, v33);
    pipe_barrier(PIPE_V); // expect: kept
    TMUL(v15, v15, v32);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 274] */ // expect: removed
    TEXP(v28, v17);
  }
  pto::Shape<1, 1, 1, 4, 64> v34 = pto::Shape<1, 1, 1, 4, 64>();
  pto::Stride<256, 256, 256, 64, 1> v35 = pto::Stride<256, 256, 256, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v36 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2, v34, v35);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v36, v15);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void stores_lag_by_two(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  const int32_t v15 = 256;
  const int64_t v16 = 0;
  const int64_t v17 = 1;
  const int64_t v18 = 2;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v14;
  TASSIGN(v19, v20);
  TEXPANDS(v19, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); // expect: kept
  for (size_t v21 = (size_t) v4; v21 < ((size_t) v3); v21 += (size_t) v5) {
    size_t v22 = v21 % (size_t) v7;
    bool v23 = v22 == (size_t) v5;
    bool v24 = v22 == (size_t) v6;
    event_t v25 = (event_t) (v24 ? v18 : v23 ? v17 : v16);
    size_t v26 = v21 % (size_t) v7;
    bool v27 = v26 == (size_t) v5;
    bool v28 = v26 == (size_t) v6;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
    uint64_t v30 = (uint64_t) (v27 ? v10 : v28 ? v11 : v9);
    TASSIGN(v29, v30);
    int32_t v31 = (int32_t) ((uint32_t) ((int32_t) v21) * (uint32_t) v15);
    wait_flag(PIPE_MTE3, PIPE_V, v25); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 332] */ // expect: removed
    TEXP(v29, v19);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 4, 64> v32 = pto::Shape<1, 1, 1, 4, 64>();
    pto::Stride<256, 256, 256, 64, 1> v33 = pto::Stride<256, 256, 256, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v34 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2 + (int32_t) v31, v32, v33);
    TSTORE(v34, v29);
    set_flag(PIPE_MTE3, PIPE_V, v25); // expect: kept
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void stores_overtaken(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 2;
  const int32_t v7 = 3;
  const int32_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 1024;
  const int64_t v11 = 2048;
  const int64_t v12 = 3072;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  const int32_t v15 = 256;
  const int64_t v16 = 0;
  const int64_t v17 = 1;
  const int64_t v18 = 2;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v14;
  TASSIGN(v19, v20);
  TEXPANDS(v19, 1.0f);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 393] */ // expect: removed
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); // expect: kept
  for (size_t v21 = (size_t) v4; v21 < ((size_t) v3); v21 += (size_t) v5) {
    size_t v22 = v21 % (size_t) v7;
    bool v23 = v22 == (size_t) v5;
    bool v24 = v22 == (size_t) v6;
    event_t v25 = (event_t) (v24 ? v18 : v23 ? v17 : v16);
    size_t v26 = v21 % (size_t) v6;
    bool v27 = v26 == (size_t) v5;
    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v28;
    uint64_t v29 = (uint64_t) (v27 ? v10 : v9);
    TASSIGN(v28, v29);
    int32_t v30 = (int32_t) ((uint32_t) ((int32_t) v21) * (uint32_t) v15);
    wait_flag(PIPE_MTE3, PIPE_V, v25); // expect: kept
    pipe_barrier(PIPE_V); // expect: kept
    TEXP(v28, v19);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 4, 64> v31 = pto::Shape<1, 1, 1, 4, 64>();
    pto::Stride<256, 256, 256, 64, 1> v32 = pto::Stride<256, 256, 256, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> v33 = GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>(v2 + (int32_t) v30, v31, v32);
    TSTORE(v33, v28);
    set_flag(PIPE_MTE3, PIPE_V, v25); // expect: kept
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
