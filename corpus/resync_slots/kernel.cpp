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

// Two buffers of two slots each, told by the iteration; all pipes wait for all between the steps.
extern "C" __global__ AICORE void resync_slots(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 2;
  const int64_t v7 = 32768;
  const int64_t v8 = 65536;
  const int64_t v9 = 98304;
  const float v10 = 1.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  for (int64_t v11 = v4; v11 < (int64_t) v3; v11 += v5) {
    bool v12 = v11 % v6 == v5;
    Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
    uint64_t v14 = (uint64_t) (v12 ? v7 : v4);
    TASSIGN(v13, v14);
    Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
    uint64_t v16 = (uint64_t) (v12 ? v9 : v8);
    TASSIGN(v15, v16);
    pto::Shape<1, 1, 1, 64, 128> v17 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v18 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v19 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + (v11 * 8192), v17, v18);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2 + (v11 * 8192), v17, v18);
    pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
    TLOAD(v13, v19);
    pipe_barrier(PIPE_ALL); // expect: kept
    TADDS(v15, v13, v10);
    pipe_barrier(PIPE_ALL); // expect: kept
    TSTORE(v20, v15);
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
