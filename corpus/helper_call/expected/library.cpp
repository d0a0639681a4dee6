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

static AICORE void shift_and_scale(int64_t v1, int64_t v2, int64_t v3) {
  const float v4 = 1.0f;
  const float v5 = 2.0f;
  const int64_t v6 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  uint64_t v8 = (uint64_t) v1;
  TASSIGN(v7, v8);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v2;
  TASSIGN(v9, v10);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v3;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v6;
  TASSIGN(v13, v14);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v9, v7, v4);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 54] */ // expect: removed [redundant-pipe-v]
  TMULS(v11, v13, v5);
  #endif // __DAV_VEC__

  return;
}

static AICORE void bump(int64_t v1) {
  const float v2 = 1.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v3;
  uint64_t v4 = (uint64_t) v1;
  TASSIGN(v3, v4);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v3, v3, v2);
  #endif // __DAV_VEC__

  return;
}

static AICORE void clear(int64_t v1) {
  const float v2 = 0.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v3;
  uint64_t v4 = (uint64_t) v1;
  TASSIGN(v3, v4);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TEXPANDS(v3, v2);
  #endif // __DAV_VEC__

  return;
}

extern "C" __global__ AICORE void helper_call(__gm__ float* v1, __gm__ float* v2) {
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
  const int64_t v14 = 10240;
  const int64_t v15 = 12288;
  const int64_t v16 = 14336;
  const int64_t v17 = 16384;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v9;
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v10;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v11;
  TASSIGN(v22, v23);
  Tile<TileType::Vec, float, 48, 64, BLayout::RowMajor, 48, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v24;
  uint64_t v25 = (uint64_t) v12;
  TASSIGN(v24, v25);
  pto::Shape<1, 1, 1, 8, 64> v26 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v27 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v26, v27);
  pto::Shape<1, 1, 1, 48, 64> v29 = pto::Shape<1, 1, 1, 48, 64>();
  pto::Stride<3072, 3072, 3072, 64, 1> v30 = pto::Stride<3072, 3072, 3072, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 48, 64>, pto::Stride<3072, 3072, 3072, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6 + v3 * (unsigned) v5), v29, v30);
  TLOAD(v18, v28);
  TLOAD(v20, v28);
  TLOAD(v22, v28);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v18, v18, v8);
  shift_and_scale(v9, v12, v14);
  shift_and_scale(v11, v13, v15);
  bump(v13);
  bump(v13);
  clear(v16);
  clear(v17);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v31, v24);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
