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

extern "C" __global__ AICORE void run_time_width(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 16;
  const int64_t v11 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  int32_t v12 = v3 < v7 ? v3 : v7;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v11;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v10, v12);
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  pto::Shape<1, 1, 1, 16, 64> v17 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v18 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v19 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v17, v18);
  pto::Shape<1, 1, 1, 16, 64> v20 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v21 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v20, v21);
  TLOAD(v13, v19);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v15, v15, v8);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v15, v15, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v22, v13);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void set_valid_shape(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int32_t v10 = 16;
  const int64_t v11 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v11;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v10, v7);
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  v14.SetValidShape(v3, v7);
  pto::Shape<1, 1, 1, 16, 64> v16 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v17 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v16, v17);
  pto::Shape<1, 1, 1, 16, 64> v19 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v20 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v7 + v4 * (unsigned) v6), v19, v20);
  TLOAD(v12, v18);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v14, v14, v8);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v14, v14, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v12);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void gaps_in_the_rows(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int32_t v9 = 128;
  const int64_t v10 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v10;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 96, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  pto::Shape<1, 1, 1, 32, 128> v15 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v16 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v17 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v15, v16);
  pto::Shape<1, 1, 1, 32, 128> v18 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v19 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v18, v19);
  TLOAD(v11, v17);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v13, v13, v7);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v13, v13, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v20, v11);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void sixteen_repeats(__gm__ float* v1, __gm__ half* v2, __gm__ float* v3, __gm__ half* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  const half v11 = 1.0f;
  const half v12 = 2.0f;
  const int64_t v13 = 0;
  const int64_t v14 = 4096;
  const int64_t v15 = 8192;
  const int64_t v16 = 12288;
  const int64_t v17 = 16384;
  const int64_t v18 = 20480;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v13;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, half, 48, 64, BLayout::RowMajor, 48, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v17;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 15, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v13;
  TASSIGN(v23, v24);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v14;
  TASSIGN(v25, v26);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 960, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v15;
  TASSIGN(v27, v28);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 961, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v16;
  TASSIGN(v29, v30);
  Tile<TileType::Vec, half, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v17;
  TASSIGN(v31, v32);
  Tile<TileType::Vec, half, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v18;
  TASSIGN(v33, v34);
  pto::Shape<1, 1, 1, 64, 64> v35 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v36 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v37 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v35, v36);
  pto::Shape<1, 1, 1, 48, 64> v38 = pto::Shape<1, 1, 1, 48, 64>();
  pto::Stride<3072, 3072, 3072, 64, 1> v39 = pto::Stride<3072, 3072, 3072, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND> v40 = GlobalTensor<half, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v38, v39);
  pto::Shape<1, 1, 1, 64, 64> v41 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v42 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v43 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v41, v42);
  pto::Shape<1, 1, 1, 48, 64> v44 = pto::Shape<1, 1, 1, 48, 64>();
  pto::Stride<3072, 3072, 3072, 64, 1> v45 = pto::Stride<3072, 3072, 3072, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND> v46 = GlobalTensor<half, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND>(v4 + (v5 + v5 * (unsigned) v8 + v5 * (unsigned) v7), v44, v45);
  TLOAD(v19, v37);
  TLOAD(v21, v40);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v23, v23, v9);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v23, v23, v10);
  TADDS(v25, v25, v9);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v25, v25, v10);
  TADDS(v27, v27, v9);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v27, v27, v10);
  TADDS(v29, v29, v9);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v29, v29, v10);
  TADDS(v31, v31, v11);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v31, v31, v12);
  TADDS(v33, v33, v11);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v33, v33, v12);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v43, v19);
  TSTORE(v46, v21);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
