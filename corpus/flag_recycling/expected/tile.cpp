#include "pto/pto-inst.hpp"
using namespace pto;

enum class PTOAutoSyncTailMode : int {
  kBarrierAll = 0,
  kSetWaitMte3ToSEvent0 = 1,
};

static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  if (mode == PTOAutoSyncTailMode::kBarrierAll) {
    pipe_barrier(PIPE_ALL);
  } else {
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
  }
}

extern "C" __global__ AICORE void only_order(__gm__ float* v1, __gm__ float* v2) {
  const float v3 = 2.0f;
  const int64_t v4 = 0;
  const int64_t v5 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  uint64_t v7 = (uint64_t) v4;
  TASSIGN(v6, v7);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  uint64_t v9 = (uint64_t) v5;
  TASSIGN(v8, v9);
  pto::Shape<1, 1, 1, 8, 64> v10 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v11 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, v10, v11);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v13 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v10, v11);
  TLOAD(v6, v12);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v6, v6, v3);
  pipe_barrier(PIPE_ALL); // expect: kept
  TLOAD(v8, v13);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v8, v8, v3);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void ordered_twice(__gm__ float* v1, __gm__ float* v2) {
  const float v3 = 2.0f;
  const int64_t v4 = 0;
  const int64_t v5 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  uint64_t v7 = (uint64_t) v4;
  TASSIGN(v6, v7);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  uint64_t v9 = (uint64_t) v5;
  TASSIGN(v8, v9);
  pto::Shape<1, 1, 1, 8, 64> v10 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v11 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, v10, v11);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v13 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v10, v11);
  TLOAD(v6, v12);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // ptosync: moved from line 75 [raise-set]
  TMULS(v6, v6, v3);
  /* ptosync: moved to line 74: set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0) [raise-set] */ // expect: moved to TMULS(v6 [raise-set]
  /* ptosync: moved to line 79: wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0) [sink-wait] */ // expect: moved to set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0 [sink-wait]
  /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: nothing to order] */ // expect: removed [redundant-pipe-all]
  TLOAD(v8, v13);
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // ptosync: moved from line 76 [sink-wait]
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v8, v8, v3);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
