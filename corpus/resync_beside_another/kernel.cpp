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

// Loads what nothing else touches.
extern "C" __global__ AICORE void loads_alone(__gm__ float* v1) {
  const int64_t v2 = 0;

  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v3;
  TASSIGN(v3, v2);
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v4 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 32, 64>(), pto::Stride<2048, 2048, 2048, 64, 1>());
  TLOAD(v3, v4);

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}

// The same rows are stored again and again, with three handshakes with the scalar unit in front of each store.
extern "C" __global__ AICORE void resync_beside_another(__gm__ float* v1, int32_t v2) {
  const int64_t v3 = 8192;
  const int32_t v4 = 0;
  const int32_t v5 = 2;
  const unsigned v6 = 192;

  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, v3);
  for (int32_t v8 = v4; v8 < v2; v8 += v5) {
    set_flag(PIPE_V, PIPE_S, EVENT_ID1); // expect: removed [redundant-flag]
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1); // expect: removed [redundant-flag]
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID2); // expect: kept
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID2); // expect: kept
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: kept
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v1 + v6, pto::Shape<1, 1, 1, 32, 64>(), pto::Stride<2048, 2048, 2048, 64, 1>());
    TSTORE(v9, v7);
  }

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
