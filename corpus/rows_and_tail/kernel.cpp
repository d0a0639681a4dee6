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

extern "C" __global__ AICORE void rows_and_tail(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 1;
  const int64_t v5 = 64;
  const int64_t v6 = 1024;
  const int64_t v7 = 65536;
  const int64_t v8 = 65024;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v3;
  TASSIGN(v9, v10);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v11 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + v3, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  TLOAD(v9, v11);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  for (size_t v12 = (size_t) v3; v12 < (size_t) v5; v12 += (size_t) v4) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v13 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + (v3 + (int64_t) v12 * v6), pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
    TSTORE(v13, v9);
  };
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v14 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + v7, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  pipe_barrier(PIPE_MTE3); // expect: removed [redundant-pipe-mte3]
  TSTORE(v14, v9);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + v8, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  pipe_barrier(PIPE_MTE3); // expect: kept WAW
  TSTORE(v15, v9);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
