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

extern "C" __global__ AICORE void a5_buffer_ids(__gm__ float* v1, __gm__ float* v2) {
  const int32_t v3 = 0;
  const int32_t v4 = 8;
  const int32_t v5 = 1;
  const int32_t v6 = 512;
  const float v7 = 1.0f;
  const int64_t v8 = 0;
  const int64_t v9 = 2048;
  const int64_t v10 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v8;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v9;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v10;
  TASSIGN(v15, v16);
  for (int32_t v17 = v3; v17 < v4; v17 += v5) {
    pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + v17 * v6, v19, v20);
    pto::Shape<1, 1, 1, 8, 64> v22 = pto::Shape<1, 1, 1, 8, 64>();
    pto::Stride<512, 512, 512, 64, 1> v23 = pto::Stride<512, 512, 512, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + v17 * v6, v22, v23);
    // One id for the loaded tile. The load waits for the sum of the iteration before, which has the id too.
    get_buf(PIPE_MTE2, 0, 0); // expect: kept WAR
    TLOAD(v11, v18);
    rls_buf(PIPE_MTE2, 0, 0); // expect: kept WAR
    // The get stands in front of work that needs nothing of what it waits for.
    get_buf(PIPE_V, 0, 0); // expect: moved to TADDS(v13 [narrow-bracket]
    TADDS(v15, v15, v7);
    // Two ids for the sum, around the same instructions: one of them says all that both say.
    get_buf(PIPE_V, 1, 0); // expect: removed [redundant-bracket]
    get_buf(PIPE_V, 2, 0); // expect: kept WAR
    TADDS(v13, v11, v7);
    rls_buf(PIPE_V, 2, 0); // expect: kept WAR
    rls_buf(PIPE_V, 1, 0); // expect: removed [redundant-bracket]
    rls_buf(PIPE_V, 0, 0); // expect: kept RAW
    get_buf(PIPE_MTE3, 1, 0); // expect: removed [redundant-bracket]
    get_buf(PIPE_MTE3, 2, 0); // expect: kept RAW
    TSTORE(v21, v13);
    rls_buf(PIPE_MTE3, 2, 0); // expect: kept RAW
    rls_buf(PIPE_MTE3, 1, 0); // expect: removed [redundant-bracket]
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
