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

// A sum of rows in every block, stored behind the loop that makes it: all pipes wait for each other around the store.
extern "C" __global__ AICORE void resync_behind_a_loop(__gm__ float* v1, __gm__ float* v3, int32_t v22) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 4;
  const int64_t v7 = 32768;
  const float v9 = 0.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v4;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v7;
  TASSIGN(v13, v14);
  pto::Shape<1, 1, 1, 64, 128> v20 = pto::Shape<1, 1, 1, 64, 128>();
  pto::Stride<8192, 8192, 8192, 128, 1> v21 = pto::Stride<8192, 8192, 8192, 128, 1>();
  for (int64_t v28 = v4; v28 < (int64_t) v22; v28 += v5) {
    pipe_barrier(PIPE_ALL); // expect: kept
    TEXPANDS(v13, v9);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to pipe_barrier(PIPE_ALL) [raise-set]
    for (int64_t v23 = v4; v23 < v6; v23 += v5) {
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
      GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + ((v28 * 4 + v23) * 8192), v20, v21);
      TLOAD(v11, v24);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
      TADD(v13, v13, v11);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_ALL); // expect: kept
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v3 + (v28 * 8192), v20, v21);
    TSTORE(v27, v13);
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
