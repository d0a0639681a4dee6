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

extern "C" __global__ AICORE void clamped_place(__gm__ float* v1, __gm__ float* v2, int64_t v3) {
  const int64_t v5 = 0;
  const int64_t v6 = 192;
  const int64_t v7 = 24576;
  const int64_t v8 = 32;
  const int64_t v17 = 24416;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v5;
  TASSIGN(v9, v10);
  TEXPANDS(v9, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
  int64_t v11 = v3 < v5 ? v5 : v3;
  for (int64_t v12 = v5; v12 < v7; v12 += v6) {
    int64_t v13 = (int64_t) ((uint64_t) v12 + (uint64_t) v8);
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND> v14 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND>(v1 + (v5 + v11 * v7 + v12 < v5 ? v5 : v12), pto::Shape<1, 1, 1, 1, 32>(), pto::Stride<24576, 24576, 24576, 24576, 1>());
    TSTORE(v14, v9);
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND>(v1 + (v5 + v11 * v7 + v13 < v5 ? v5 : v13), pto::Shape<1, 1, 1, 1, 32>(), pto::Stride<24576, 24576, 24576, 24576, 1>());
    pipe_barrier(PIPE_MTE3); // expect: removed [redundant-pipe-mte3]
    TSTORE(v15, v9);
  };
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<24576, 24576, 24576, 24576, 1>, pto::Layout::ND>(v1 + v17, pto::Shape<1, 1, 1, 1, 32>(), pto::Stride<24576, 24576, 24576, 24576, 1>());
  pipe_barrier(PIPE_MTE3); // expect: kept WAW
  TSTORE(v16, v9);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
