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

extern "C" __global__ AICORE void two_products(__gm__ half* v1, __gm__ half* v2, __gm__ float* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 4096;
  const int64_t v9 = 0;
  const int64_t v10 = 8192;
  const int64_t v11 = 16384;
  const int64_t v12 = 24576;
  const int64_t v13 = 8192;
  const int64_t v14 = 32768;
  using T = float;

  #if defined(__DAV_CUBE__)
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v9;
  TASSIGN(v15, v16);
  Tile<TileType::Mat, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v10;
  TASSIGN(v17, v18);
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v11;
  TASSIGN(v19, v20);
  Tile<TileType::Mat, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v12;
  TASSIGN(v21, v22);
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v9;
  TASSIGN(v23, v24);
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v13;
  TASSIGN(v25, v26);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v9;
  TASSIGN(v27, v28);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v13;
  TASSIGN(v29, v30);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v9;
  TASSIGN(v31, v32);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v9;
  TASSIGN(v33, v34);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v35;
  uint64_t v36 = (uint64_t) v14;
  TASSIGN(v35, v36);
  pto::Shape<1, 1, 1, 64, 64> v37 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v38 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v39 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v6), v37, v38);
  pto::Shape<1, 1, 1, 64, 64> v40 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v41 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v42 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v4 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v6), v40, v41);
  pto::Shape<1, 1, 1, 64, 64> v43 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v44 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v45 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v1 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v6), v43, v44);
  pto::Shape<1, 1, 1, 64, 64> v46 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v47 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v48 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v7 + v5 * (unsigned) v6), v46, v47);
  pto::Shape<1, 1, 1, 64, 64> v49 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v50 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v51 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v1 + (v5 + (unsigned) v7 * (unsigned) v7 + v5 * (unsigned) v6), v49, v50);
  pto::Shape<1, 1, 1, 64, 64> v52 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v53 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v54 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v2 + (v5 + (unsigned) v7 * (unsigned) v7 + v5 * (unsigned) v6), v52, v53);
  TLOAD(v15, v45);
  TLOAD(v17, v48);
  TLOAD(v19, v51);
  TLOAD(v21, v54);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TMOV(v23, v15);
  TMOV(v27, v17);
  TMOV(v25, v19);
  TMOV(v29, v21);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  TMATMUL(v31, v23, v27);
  /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: rule m-accumulate-fractals] */ // expect: removed [redundant-pipe-m]
  TMATMUL_ACC(v33, v33, v25, v29);
  /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: nothing to order] */ // expect: removed [redundant-pipe-m]
  TMATMUL(v35, v23, v29);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  TSTORE(v39, v33);
  /* ptosync: removed pipe_barrier(PIPE_FIX) [redundant-pipe-fix: nothing to order] */ // expect: removed [redundant-pipe-fix]
  TSTORE(v42, v35);
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void reused_vector_storage(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  unsigned v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int64_t v9 = 0;
  const int64_t v10 = 4096;
  const int64_t v11 = 6144;
  const int64_t v12 = 10240;
  const int64_t v13 = 14336;
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
  uint64_t v19 = (uint64_t) v10;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v11;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v12;
  TASSIGN(v22, v23);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v24;
  uint64_t v25 = (uint64_t) v13;
  TASSIGN(v24, v25);
  pto::Shape<1, 1, 1, 16, 64> v26 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v27 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v1 + (v4 + v4 * (unsigned) v6 + v4 * (unsigned) v5), v26, v27);
  TLOAD(v14, v28);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v16, v14, v7);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 154, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v22, v18, v8);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(v20, v14, v8);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v24, v20, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 16, 64> v29 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v30 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2 + (v4 + v4 * (unsigned) v6 + v4 * (unsigned) v5), v29, v30);
  pto::Shape<1, 1, 1, 16, 64> v32 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v33 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v34 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v3 + (v4 + v4 * (unsigned) v6 + v4 * (unsigned) v5), v32, v33);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v31, v22);
  TSTORE(v34, v24);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
