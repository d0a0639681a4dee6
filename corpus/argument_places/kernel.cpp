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

extern "C" __global__ AICORE void argument_places(__gm__ float* v1, __gm__ uint8_t* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int64_t v5 = 1024;
  const int64_t v6 = 65536;
  const int64_t v7 = 224;
  const int64_t v8 = 32;
  const int64_t v9 = 96;
  const float v10 = 1.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v6;
  TASSIGN(v11, v12);
  TEXPANDS(v11, v10);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  int64_t v13 = (int64_t) v3 * v5;
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v14 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + v13, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  TSTORE(v14, v11);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + (v13 + v5), pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  pipe_barrier(PIPE_MTE3); // expect: removed [redundant-pipe-mte3]
  TSTORE(v15, v11);
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + v6, pto::Shape<1, 1, 1, 1, 1024>(), pto::Stride<1024, 1024, 1024, 1024, 1>());
  pipe_barrier(PIPE_MTE3); // expect: kept WAW
  TSTORE(v16, v11);
  uint8_t v17 = (v2)[v4];
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) ((int64_t) v17 * v7);
  TASSIGN(v18, v19);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) ((int64_t) v17 * v8 + v9);
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) ((int64_t) v17 * v8);
  TASSIGN(v22, v23);
  TEXPANDS(v18, v10);
  pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
  TEXPANDS(v20, v10);
  pipe_barrier(PIPE_V); // expect: kept WAW
  TEXPANDS(v22, v10);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
