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

extern "C" __global__ AICORE void of_the_library(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  const int32_t v4 = 0;
  const int64_t v20 = 0;
  const int64_t v21 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v5 = TPipe<0, Direction::DIR_C2V, 4096, 4>(v1, 32768, v4);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  TASSIGN(v6, (uint64_t)v20);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v21);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  TASSIGN(v9, (uint64_t)8192);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v11 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2, pto::Shape<1, 1, 1, 16, 64>(), pto::Stride<1024, 1024, 1024, 64, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v3, pto::Shape<1, 1, 1, 16, 64>(), pto::Stride<1024, 1024, 1024, 64, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v8);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TEXP(v6, v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v10);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TEXP(v7, v10);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v11, v6);
  TSTORE(v12, v7);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void two(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  const int32_t v4 = 0;
  const int64_t v20 = 0;
  const int64_t v21 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v5 = TPipe<0, Direction::DIR_C2V, 4096, 4, 2>(v1, 32768, v4);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  TASSIGN(v6, (uint64_t)v20);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v21);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  TASSIGN(v9, (uint64_t)8192);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v11 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2, pto::Shape<1, 1, 1, 16, 64>(), pto::Stride<1024, 1024, 1024, 64, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v3, pto::Shape<1, 1, 1, 16, 64>(), pto::Stride<1024, 1024, 1024, 64, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v8);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TEXP(v6, v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v5, v10);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TEXP(v7, v10);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4, 2>, TileSplitAxis::TILE_NO_SPLIT>(v5);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v11, v6);
  TSTORE(v12, v7);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
