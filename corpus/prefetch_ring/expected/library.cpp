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

extern "C" __global__ AICORE void three_ahead(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 3;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int32_t v11 = 2;
  const int32_t v12 = 3;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  const int64_t v15 = 4096;
  const int64_t v16 = 8192;
  const int64_t v17 = 0;
  const int64_t v18 = 1;
  const int64_t v19 = 2;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v24;
  uint64_t v25 = (uint64_t) v15;
  TASSIGN(v24, v25);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v26;
  uint64_t v27 = (uint64_t) v16;
  TASSIGN(v26, v27);
  pto::Shape<1, 1, 1, 8, 64> v28 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v29 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7), v28, v29);
  pto::Shape<1, 1, 1, 8, 64> v31 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v32 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v33 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7), v31, v32);
  TEXPANDS(v26, v9);
  TLOAD(v20, v30);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TLOAD(v22, v30);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TLOAD(v24, v30);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  for (size_t v34 = (size_t) v5; v34 < ((size_t) v3); v34 += (size_t) v6) {
    int32_t v35 = (int32_t) v34 % v12;
    bool v36 = v35 == v6;
    bool v37 = v35 == v11;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v38;
    uint64_t v39 = (uint64_t) (v37 ? v15 : v36 ? v14 : v13);
    TASSIGN(v38, v39);
    event_t v40 = (event_t) (v37 ? v19 : v36 ? v18 : v17);
    wait_flag(PIPE_MTE2, PIPE_V, v40); // expect: kept
    pipe_barrier(PIPE_V); // expect: kept
    TADD(v26, v26, v38);
    set_flag(PIPE_V, PIPE_MTE2, v40); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE2, v40); // expect: kept
    TLOAD(v38, v30);
    set_flag(PIPE_MTE2, PIPE_V, v40); // expect: kept
  }
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v33, v26);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void two_ahead(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 3;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const int32_t v11 = 2;
  const int32_t v12 = 3;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  const int64_t v15 = 4096;
  const int64_t v16 = 8192;
  const int64_t v17 = 0;
  const int64_t v18 = 1;
  const int64_t v19 = 2;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v13;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v24;
  uint64_t v25 = (uint64_t) v16;
  TASSIGN(v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v26 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v27 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7), v26, v27);
  pto::Shape<1, 1, 1, 8, 64> v29 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v30 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7), v29, v30);
  TEXPANDS(v24, v9);
  TLOAD(v20, v28);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept unbalanced
  TLOAD(v22, v28);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept unbalanced
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept unbalanced
  for (size_t v32 = (size_t) v5; v32 < ((size_t) v3); v32 += (size_t) v6) {
    int32_t v33 = (int32_t) v32 % v12;
    bool v34 = v33 == v6;
    bool v35 = v33 == v11;
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v36;
    uint64_t v37 = (uint64_t) (v35 ? v15 : v34 ? v14 : v13);
    TASSIGN(v36, v37);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v38;
    uint64_t v39 = (uint64_t) (v35 ? v14 : v34 ? v13 : v15);
    TASSIGN(v38, v39);
    event_t v40 = (event_t) (v35 ? v19 : v34 ? v18 : v17);
    event_t v41 = (event_t) (v35 ? v18 : v34 ? v17 : v19);
    wait_flag(PIPE_V, PIPE_MTE2, v41); // expect: kept unbalanced
    TLOAD(v38, v28);
    set_flag(PIPE_MTE2, PIPE_V, v41); // expect: kept unbalanced
    wait_flag(PIPE_MTE2, PIPE_V, v40); // expect: kept unbalanced
    pipe_barrier(PIPE_V); // expect: kept
    TADD(v24, v24, v36);
    set_flag(PIPE_V, PIPE_MTE2, v40); // expect: kept unbalanced
  }
  int32_t v42 = v3 % v12;
  bool v43 = v42 == v6;
  bool v44 = v42 == v11;
  event_t v45 = (event_t) (v44 ? v19 : v43 ? v18 : v17);
  event_t v46 = (event_t) (v44 ? v17 : v43 ? v19 : v18);
  event_t v47 = (event_t) (v44 ? v18 : v43 ? v17 : v19);
  wait_flag(PIPE_MTE2, PIPE_V, v45); // expect: kept unbalanced
  wait_flag(PIPE_MTE2, PIPE_V, v46); // expect: kept unbalanced
  wait_flag(PIPE_V, PIPE_MTE2, v47); // expect: kept unbalanced
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v31, v24);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
