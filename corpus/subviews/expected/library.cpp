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

extern "C" __global__ AICORE void column_blocks(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int32_t v9 = 128;
  const int64_t v10 = 0;
  const int64_t v11 = 128;
  const int64_t v12 = 256;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v10;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v11;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v12;
  TASSIGN(v19, v20);
  pto::Shape<1, 1, 1, 32, 128> v21 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v22 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v21, v22);
  pto::Shape<1, 1, 1, 32, 128> v24 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v25 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v24, v25);
  TLOAD(v13, v23);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v15, v15, v8);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 58] */ // expect: removed [redundant-pipe-v]
  TADDS(v19, v19, v7);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v17, v17, v8);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v15, v15, v7);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v15, v15, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v26, v13);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void row_blocks(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const float v7 = 1.0f;
  const float v8 = 2.0f;
  const int32_t v9 = 128;
  const int64_t v10 = 0;
  const int64_t v11 = 8192;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v10;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v10;
  TASSIGN(v14, v15);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
  uint64_t v17 = (uint64_t) v11;
  TASSIGN(v16, v17);
  pto::Shape<1, 1, 1, 32, 128> v18 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v19 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v18, v19);
  pto::Shape<1, 1, 1, 32, 128> v21 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v22 = pto::Stride<4096, 4096, 4096, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v21, v22);
  TLOAD(v12, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v14, v14, v8);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 111] */ // expect: removed [redundant-pipe-v]
  TADDS(v16, v16, v7);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 111, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TMULS(v16, v16, v8);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v12, v12, v7);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v23, v12);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
