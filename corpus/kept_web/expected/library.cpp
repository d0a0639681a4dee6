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

extern "C" __global__ AICORE void one_statement_is_kept(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v10;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 8, 64> v16 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v17 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6), v19, v20);
  TLOAD(v12, v18);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept protected
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1) [redundant-flag: with wait at 50] */ // expect: removed [redundant-flag]
  // ptosync: keep(measured on the board)
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept protected
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  TADDS(v14, v12, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void kept_though_it_orders_nothing(__gm__ float* v1, __gm__ float* v2) {
  unsigned v3 = 0;
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 64;
  const int32_t v7 = 3;
  const float v8 = 1.0f;
  const float v9 = 2.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v10;
  TASSIGN(v12, v13);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 8, 64> v16 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v17 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + (v3 + v3 * (unsigned) v6), v16, v17);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v3 + v3 * (unsigned) v6), v19, v20);
  TEXPANDS(v14, v8);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // ptosync: keep(timing) expect: kept protected
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept protected
  TLOAD(v12, v18);
  /* ptosync: removed set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [redundant-flag: with wait at 94] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
