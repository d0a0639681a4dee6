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

// Every fourth iteration of a loop of twelve loads into one of two slots and, behind that, stores what stands beside them: the
// wait may stand behind the load, since the one of the iteration in between comes before the next use of the slot.
extern "C" __global__ AICORE void every_fourth_iteration(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 1;
  const int64_t v5 = 2;
  const int64_t v6 = 3;
  const int64_t v7 = 4;
  const int64_t v8 = 12;
  const int64_t v9 = 8192;
  const int64_t v19 = 32768;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v19;
  TASSIGN(v17, v18);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (int64_t v10 = v3; v10 < v8; v10 += v4) {
    if (v10 % v7 == v6) {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
      uint64_t v12 = (uint64_t) (((v10 / v7) % v5) * v9);
      TASSIGN(v11, v12);
      pto::Shape<1, 1, 1, 16, 128> v13 = pto::Shape<1, 1, 1, 16, 128>();
      pto::Stride<2048, 2048, 2048, 128, 1> v14 = pto::Stride<2048, 2048, 2048, 128, 1>();
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v10 * 2048), v13, v14);
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v10 * 2048), v13, v14);
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: moved to set_flag(PIPE_MTE2 [sink-wait]
      TLOAD(v11, v15);
      set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
      wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
      TSTORE(v16, v17);
    };
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
