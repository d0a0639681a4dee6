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

extern "C" __global__ AICORE void softmax_wide(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  unsigned v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 32;
  const int32_t v8 = 128;
  const int64_t v9 = 0;
  const int64_t v10 = 16384;
  const int64_t v11 = 32768;
  const int64_t v12 = 49152;
  const int64_t v13 = 49280;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v10;
  TASSIGN(v16, v17);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v11;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v12;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v13;
  TASSIGN(v22, v23);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  for (size_t v24 = (size_t) v5; v24 < ((size_t) v3); v24 += (size_t) v6) {
    int32_t v25 = (int32_t) ((uint32_t) ((int32_t) v24) * (uint32_t) v7);
    pto::Shape<1, 1, 1, 32, 128> v26 = pto::Shape<1, 1, 1, 32, 128>();
    pto::Stride<4096, 4096, 4096, 128, 1> v27 = pto::Stride<4096, 4096, 4096, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v1 + (v4 + (unsigned) v25 * (unsigned) v8 + v4 * (unsigned) v6), v26, v27);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v14, v28);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
    TROWMAX(v20, v14, v18);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept RAW; library: removed
    TROWEXPANDSUB(v14, v14, v20);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: rule same-access-chain, inside call at 67] */ // expect: removed [redundant-pipe-v]
    TEXP(v14, v14);
    /* ptosync: removed pipe_barrier(PIPE_V) [softmax-exp-sum: rule same-access-chain, inside call at 67] */ // expect: removed [softmax-exp-sum]
    TROWSUM(v22, v14, v18);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept RAW; library: removed
    TROWEXPANDDIV(v16, v14, v22);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 32, 128> v29 = pto::Shape<1, 1, 1, 32, 128>();
    pto::Stride<4096, 4096, 4096, 128, 1> v30 = pto::Stride<4096, 4096, 4096, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v2 + (v4 + (unsigned) v25 * (unsigned) v8 + v4 * (unsigned) v6), v29, v30);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v31, v16);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void softmax_narrow(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 1;
  const int32_t v5 = 64;
  const int64_t v6 = 0;
  const int64_t v7 = 2048;
  const int64_t v8 = 4096;
  const int64_t v9 = 4128;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  uint64_t v11 = (uint64_t) v6;
  TASSIGN(v10, v11);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v7;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v8;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v9;
  TASSIGN(v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v18 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v19 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v5 + v3 * (unsigned) v4), v18, v19);
  TLOAD(v10, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TROWMAX(v14, v10, v12);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept RAW; library: removed
  TROWEXPANDSUB(v10, v10, v14);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TEXP(v10, v10);
  pipe_barrier(PIPE_V); // expect: kept RAW [softmax-exp-sum]
  TROWSUM(v16, v10, v12);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept RAW; library: removed
  TROWEXPANDDIV(v10, v10, v16);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 8, 64> v21 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v22 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v5 + v3 * (unsigned) v4), v21, v22);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v23, v10);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
