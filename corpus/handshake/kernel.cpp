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

// The scalar unit and the store pipe shake hands in every trip, and so do the load and store pipes.
extern "C" __global__ AICORE void handshake(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const unsigned v7 = 2048;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  TASSIGN(v8, v4);
  set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
  for (int32_t v9 = v5; v9 < v3; v9 += v6) {
    unsigned v10 = (unsigned) v9 * v7;
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v11 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v1 + v10, pto::Shape<1, 1, 1, 32, 64>(), pto::Stride<2048, 2048, 2048, 64, 1>());
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v2 + v10, pto::Shape<1, 1, 1, 32, 64>(), pto::Stride<2048, 2048, 2048, 64, 1>());
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: removed [redundant-flag]
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
    TLOAD(v8, v11);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept hazard
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept hazard
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); // expect: removed [redundant-flag]
    TSTORE(v12, v8);
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
  }
  wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept hazard
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
