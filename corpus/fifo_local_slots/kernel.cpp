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

extern "C" __global__ AICORE void one_entry(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 32768;
  const int64_t v7 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<0, Direction::DIR_C2V, 8192, 8, 8, false>(v1, v6, v4);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v7;
  TASSIGN(v9, v10);
  TEXPANDS(v9, 0.0f);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TEXPANDS(v9 [raise-set]
  for (size_t v11 = (size_t) v4; v11 < ((size_t) v3); v11 += (size_t) v5) {
    Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TPOP<TPipe<0, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v8, v12);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: removed
    TADD(v9, v9, v12);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TFREE<TPipe<0, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v8);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 32, 64> v13 = pto::Shape<1, 1, 1, 32, 64>();
  pto::Stride<2048, 2048, 2048, 64, 1> v14 = pto::Stride<2048, 2048, 2048, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v2, v13, v14);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v15, v9);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void three_entries(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 32768;
  const int64_t v7 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>(v1, v6, v4);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v7;
  TASSIGN(v9, v10);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  TPOP<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v8, v11);
  TPOP<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v8, v12);
  TPOP<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v8, v13);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADD(v9, v11, v12);
  pipe_barrier(PIPE_V); // expect: removed
  TADD(v9, v9, v13);
  TFREE<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v8);
  TFREE<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v8);
  TFREE<TPipe<2, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v8);
  pto::Shape<1, 1, 1, 32, 64> v14 = pto::Shape<1, 1, 1, 32, 64>();
  pto::Stride<2048, 2048, 2048, 64, 1> v15 = pto::Stride<2048, 2048, 2048, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v2, v14, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v16, v9);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void nothing_holds_the_pop(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 32768;
  const int64_t v7 = 0;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<4, Direction::DIR_C2V, 8192, 8, 8, false>(v1, v6, v4);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v7;
  TASSIGN(v9, v10);
  TEXPANDS(v9, 0.0f);
  for (size_t v11 = (size_t) v4; v11 < ((size_t) v3); v11 += (size_t) v5) {
    Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
    TPOP<TPipe<4, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v8, v12);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: kept
    TADD(v9, v9, v12);
    TFREE<TPipe<4, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v8);
  }
  pto::Shape<1, 1, 1, 32, 64> v13 = pto::Shape<1, 1, 1, 32, 64>();
  pto::Stride<2048, 2048, 2048, 64, 1> v14 = pto::Stride<2048, 2048, 2048, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v2, v13, v14);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v15, v9);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void crowded_ring(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int32_t v4 = 0;
  const int32_t v5 = 1;
  const int32_t v6 = 32768;
  const int64_t v7 = 0;
  const int64_t v8 = 65536;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v9 = TPipe<6, Direction::DIR_C2V, 8192, 8, 8, false>(v1, v6, v4);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  uint64_t v11 = (uint64_t) v7;
  TASSIGN(v10, v11);
  Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v13 = (uint64_t) v8;
  TASSIGN(v12, v13);
  TEXPANDS(v10, 0.0f);
  TEXPANDS(v12, 2.0f);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (size_t v14 = (size_t) v4; v14 < ((size_t) v3); v14 += (size_t) v5) {
    Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TPOP<TPipe<6, Direction::DIR_C2V, 8192, 8, 8, false>, Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v9, v15);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: removed
    TMUL(v15, v15, v12);
    pipe_barrier(PIPE_V); // expect: removed
    TADD(v10, v10, v15);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TFREE<TPipe<6, Direction::DIR_C2V, 8192, 8, 8, false>, TileSplitAxis::TILE_UP_DOWN>(v9);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  pto::Shape<1, 1, 1, 32, 64> v16 = pto::Shape<1, 1, 1, 32, 64>();
  pto::Stride<2048, 2048, 2048, 64, 1> v17 = pto::Stride<2048, 2048, 2048, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>(v2, v16, v17);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v18, v10);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
