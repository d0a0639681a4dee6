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

// Rows are gathered by a list into a block, one block for each group that is not left out. The last flag of the arm says that the
// store is over before the next load, which does not touch what it stores; where a group loads nothing, nobody says that
// the flag was waited for before it is set again.
extern "C" __global__ AICORE void resync_reused_flag(__gm__ float* v1, __gm__ int64_t* v2, __gm__ float* v3, __gm__ int64_t* v4) {
  const int64_t v5 = 0;
  const int64_t v6 = 1;
  const int64_t v7 = 8;
  const int64_t v8 = 32;
  const int64_t v9 = 2048;
  const float v10 = 0.0f;
  const float v11 = 0.5f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v5;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v9;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 8, 64> v16 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v17 = pto::Stride<512, 512, 512, 64, 1>();
  pto::Shape<1, 1, 1, 1, 64> v18 = pto::Shape<1, 1, 1, 1, 64>();
  pto::Stride<64, 64, 64, 64, 1> v19 = pto::Stride<64, 64, 64, 64, 1>();
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept intermittent
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  for (int64_t v20 = v5; v20 < v8; v20 += v6) {
    int64_t v21 = (v4)[v20];
    if (v21 >= v5) {
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept intermittent
      TEXPANDS(v12, v10);
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
      for (int64_t v22 = v5; v22 < v7; v22 += v6) {
        int64_t v23 = (v2)[v21 * v7 + v22];
        if (v23 >= v5) {
          GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND>(v3 + (v23 * 64), v18, v19);
          wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
          TLOAD(v14, v24);
          set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
          wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
          TMULS(v14, v14, v11);
          set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
        }
      }
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
      GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v20 * 512), v16, v17);
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
      TSTORE(v25, v12);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept intermittent
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
    }
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept intermittent
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept intermittent
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
