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

extern "C" __global__ AICORE void narrow_index(__gm__ float* v1, __gm__ float* v2, __gm__ int32_t* v3, int32_t v4) {
  const int64_t v5 = 0;
  const int64_t v6 = 4096;
  const int32_t v7 = 0;
  const int32_t v8 = 1;
  const int32_t v10 = 1024;
  const int32_t v11 = 1000;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v5;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v6;
  TASSIGN(v14, v15);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND>(v1 + v5, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<2048, 2048, 2048, 2048, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND> v17 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND>(v1 + v10, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<2048, 2048, 2048, 2048, 1>());
  TLOAD(v12, v16);
  TLOAD(v14, v17);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  for (int32_t v18 = v7; v18 < v4; v18 += v8) {
    int32_t v19 = (v3)[v18];
    int32_t v20 = v19 * 2;
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND>(v2 + (v20 * v10), pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<2048, 2048, 2048, 2048, 1>());
    TSTORE(v21, v12);
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND>(v2 + ((v20 + v8) * v10), pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<2048, 2048, 2048, 2048, 1>());
    pipe_barrier(PIPE_MTE3); // expect: removed [redundant-pipe-mte3]
    TSTORE(v22, v14);
    pipe_barrier(PIPE_MTE3); // expect: kept WAW
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<2048, 2048, 2048, 2048, 1>, pto::Layout::ND>(v2 + ((v19 * 2 + v8) * v11), pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<2048, 2048, 2048, 2048, 1>());
    TSTORE(v23, v12);
    pipe_barrier(PIPE_MTE3); // expect: kept WAW
  };
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
