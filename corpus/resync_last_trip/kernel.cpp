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

// One buffer of rows for each block, used in a loop of four steps, between two other steps of each. The next block's rows
// are loaded when the whole loop is over, and the loop begins when they are there.
extern "C" __global__ AICORE void resync_last_trip(__gm__ float* v1, __gm__ float* v3, int32_t v22) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 512;
  const int64_t v7 = 128;
  const int64_t v8 = 16384;
  const int64_t v9 = 32768;
  const int64_t v10 = 49152;
  const float v17 = 0.5f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v4;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v8;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v9;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  uint64_t v19 = (uint64_t) v10;
  TASSIGN(v18, v19);
  pto::Shape<1, 1, 1, 32, 128> v20 = pto::Shape<1, 1, 1, 32, 128>();
  pto::Stride<4096, 4096, 4096, 128, 1> v21 = pto::Stride<4096, 4096, 4096, 128, 1>();
  TEXPANDS(v13, v17);
  TEXPANDS(v15, v17);
  TEXPANDS(v18, v17);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TEXPANDS(v13 [raise-set]
  for (int64_t v28 = v4; v28 < (int64_t) v22; v28 += v5) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v1 + (v28 * 4096), v20, v21);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v11, v24);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    for (int64_t v23 = v4; v23 < v6; v23 += v7) {
      pipe_barrier(PIPE_V); // expect: kept
      TMULS(v15, v15, v17);
      TADD(v13, v13, v11);
      TMULS(v18, v18, v17);
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>(v3, v20, v21);
  TSTORE(v27, v13);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
