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

extern "C" __global__ AICORE void left_for_a_later_wait(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const float v4 = 2.0f;
  const int64_t v5 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  uint64_t v7 = (uint64_t) v5;
  TASSIGN(v6, v7);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept unbalanced
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept unbalanced
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept unbalanced
  TMULS(v6, v6, v4);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  pipe_barrier(PIPE_V); // expect: kept
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept unbalanced
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept unbalanced
  TMULS(v6, v6, v4);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void set_in_turn(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const float v4 = 2.0f;
  const int64_t v5 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  uint64_t v7 = (uint64_t) v5;
  TASSIGN(v6, v7);
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2) [redundant-flag: with wait at 57] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  TMULS(v6, v6, v4);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 63] */ // expect: removed [redundant-pipe-v]
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  TMULS(v6, v6, v4);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
