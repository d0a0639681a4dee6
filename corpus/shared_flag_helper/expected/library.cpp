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

static AICORE void hand_over() {
  using T = float;

  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept

  return;
}

static AICORE void hand_over_nothing() {
  using T = float;

  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1) [redundant-flag: with wait at 31] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]

  return;
}

static AICORE void start(int64_t v1) {
  const float v2 = 1.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v3;
  uint64_t v4 = (uint64_t) v1;
  TASSIGN(v3, v4);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v3, v3, v2);
  #endif // __DAV_VEC__

  return;
}

static AICORE void vector_part(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  const int64_t v12 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
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
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v19, v20);
  pto::Shape<1, 1, 1, 8, 64> v22 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v23 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6), v22, v23);
  TLOAD(v13, v21);
  hand_over();
  TSTORE(v24, v13);
  hand_over_nothing();
  TLOAD(v15, v21);
  start(v11);
  start(v12);
  hand_over();
  hand_over_nothing();
  #endif // __DAV_VEC__

  return;
}

static AICORE void cube_part(__gm__ half* v1) {
  const int64_t v2 = 0;
  using T = float;

  #if defined(__DAV_CUBE__)
  Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v3;
  uint64_t v4 = (uint64_t) v2;
  TASSIGN(v3, v4);
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 16>, pto::Stride<256, 256, 256, 16, 1>, pto::Layout::ND> v5(v1);
  TLOAD(v3, v5);
  hand_over();
  hand_over_nothing();
  #endif // __DAV_CUBE__

  return;
}

extern "C" __global__ AICORE void both_parts(__gm__ float* v1, __gm__ float* v2, __gm__ half* v3) {
  using T = float;

  cube_part(v3);
  vector_part(v1, v2);
  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
