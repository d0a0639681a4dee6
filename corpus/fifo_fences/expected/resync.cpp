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

extern "C" __global__ AICORE void produce(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const int32_t v9 = 3;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  const int32_t v12 = 0;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8), v19, v20);
  auto v22 = TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>(v1, v12, v12);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23(nullptr);
  TLOAD(v15, v21);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v17, v15, v10);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: moved to TSTORE(v23 [sink-wait]
  TALLOC<TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
  TSTORE(v23, v17);
  pipe_barrier(PIPE_MTE3); // expect: kept
  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void consume(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const int32_t v9 = 3;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  const int32_t v12 = 0;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8), v19, v20);
  auto v22 = TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>(v1, v12, v12);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23(nullptr);
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
  TLOAD(v15, v23);
  pipe_barrier(PIPE_MTE2); // expect: kept
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: moved to pipe_barrier(PIPE_MTE2 [raise-set]
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v17, v15, v10);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v17);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void consume_in_a_loop(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const int32_t v9 = 3;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  const int32_t v12 = 0;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8), v19, v20);
  auto v22 = TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>(v1, v12, v12);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v23(nullptr);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (size_t v24 = (size_t) v6; v24 < ((size_t) v4); v24 += (size_t) v7) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TLOAD(v15 [sink-wait]
    TPOP<TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
    TLOAD(v15, v23);
    TFREE<TPipe<0, Direction::DIR_C2V, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v22, v23);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    TADDS(v17, v15, v10);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void other_memory(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 64;
  const int32_t v9 = 3;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  const int32_t v12 = 0;
  const int64_t v13 = 0;
  const int64_t v14 = 2048;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v13;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 8, 64> v19 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v20 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2 + (v5 + v5 * (unsigned) v8), v19, v20);
  pto::Shape<1, 1, 1, 8, 64> v22 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v23 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v24 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3 + (v5 + v5 * (unsigned) v8), v22, v23);
  auto v25 = TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>(v1, v12, v12);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v26(nullptr);
  TLOAD(v15, v21);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept
  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v25, v26);
  TEXPANDS(v17, v10);
  /* ptosync: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [redundant-flag: with wait at 185] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v25, v26);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
