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

// Pragmas about a loop whose iterations are told apart by PIPE_ALL.
extern "C" __global__ AICORE void resync_pragma(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v5 = 0;
  const int64_t v6 = 2048;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  TASSIGN(v10, (uint64_t) v5);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  TASSIGN(v11, (uint64_t) v6);
  #pragma unroll
  for (int32_t v4 = 0; v4 < v3; v4 += 1) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v20(v1 + v4 * 512);
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21(v2 + v4 * 512);
    pipe_barrier(PIPE_ALL); // expect: kept
    TLOAD(v10, v20);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    TADDS(v11, v10, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v21, v11);
  }
  #endif // __DAV_VEC__
  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
