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

// Rows are scattered to where a list says, the first `v4` of them. What the scalar core and the stores are told of each other
// orders nothing, and is told in some trips only.
extern "C" __global__ AICORE void skipped_trips(__gm__ float* v1, __gm__ int64_t* v2, __gm__ float* v3, int32_t v4) {
  const int64_t v5 = 0;
  const int64_t v6 = 1;
  const int64_t v7 = 256;
  const int64_t v8 = 64;
  const float v9 = 0.5f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  uint64_t v11 = (uint64_t) v5;
  TASSIGN(v10, v11);
  pto::Shape<1, 1, 1, 1, 256> v12 = pto::Shape<1, 1, 1, 1, 256>();
  pto::Stride<256, 256, 256, 256, 1> v13 = pto::Stride<256, 256, 256, 256, 1>();
  set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept WAR
  for (int64_t v14 = v5; v14 < v8; v14 += v6) {
    if (v14 < (int64_t) v4) {
      wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
      int64_t v15 = (v2)[v14];
      set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: removed [redundant-flag]
      GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND>(v3 + (v14 * v7), v12, v13);
      wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: removed [redundant-flag]
      if (v15 >= v5) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept WAR
        TLOAD(v10, v16);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
        TMULS(v10, v10, v9);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
        GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND> v17 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND>(v1 + (v15 * v7), v12, v13);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
        TSTORE(v17, v10);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept WAR
      }
      set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
    }
  }
  wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept WAR
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}

// The same with a call in front of it that nothing is known about: it may have work left that only these flags hold back.
extern "C" __global__ AICORE void beside_a_call(__gm__ float* v1, __gm__ int64_t* v2, __gm__ float* v3, int32_t v4) {
  const int64_t v5 = 0;
  const int64_t v6 = 1;
  const int64_t v7 = 256;
  const int64_t v8 = 64;
  const float v9 = 0.5f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  uint64_t v11 = (uint64_t) v5;
  TASSIGN(v10, v11);
  pto::Shape<1, 1, 1, 1, 256> v12 = pto::Shape<1, 1, 1, 1, 256>();
  pto::Stride<256, 256, 256, 256, 1> v13 = pto::Stride<256, 256, 256, 256, 1>();
  TSOMETHING_ELSE(v10);
  set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: kept intermittent
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  for (int64_t v14 = v5; v14 < v8; v14 += v6) {
    if (v14 < (int64_t) v4) {
      wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: kept intermittent
      int64_t v15 = (v2)[v14];
      set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: moved to int64_t v15 [raise-set]
      GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND>(v3 + (v14 * v7), v12, v13);
      wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: kept
      if (v15 >= v5) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
        TLOAD(v10, v16);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
        TMULS(v10, v10, v9);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
        GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND> v17 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND>(v1 + (v15 * v7), v12, v13);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
        TSTORE(v17, v10);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
      }
      set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: kept intermittent
    }
  }
  wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: kept intermittent
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
