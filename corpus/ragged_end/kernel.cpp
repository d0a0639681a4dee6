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

extern "C" __global__ AICORE void ragged_end(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 4;
  const int32_t v7 = 30;
  const int32_t v8 = 1024;
  const int64_t v9 = 0;
  const int64_t v10 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept WAR
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept WAR
  for (size_t v11 = (size_t) v4; v11 < ((size_t) v6); v11 += (size_t) v5) {
    int32_t v12 = (int32_t) ((uint32_t) ((int32_t) (uint32_t) v3 * (uint32_t) v6) + (uint32_t) ((int32_t) v11));
    if (v12 < v7) {
      int32_t v13 = (int32_t) ((uint32_t) v12 * (uint32_t) v8);
      Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
      uint64_t v15 = (uint64_t) v9;
      TASSIGN(v14, v15);
      Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
      uint64_t v17 = (uint64_t) v10;
      TASSIGN(v16, v17);
      GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + v13, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
      GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v19 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + v13, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept WAR
      TLOAD(v14, v18);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept WAR
      TADD(v16, v14, v14);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept WAR
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
      TSTORE(v19, v16);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept WAR
    };
  };
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept WAR
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept WAR
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
