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

extern "C" __global__ AICORE void scores(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, __gm__ half* v4) {
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int64_t v8 = 0;
  const int64_t v9 = 4096;
  const int64_t v17 = 8192;
  using T = float;

  #if defined(__DAV_CUBE__)
  auto v10 = TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>(v1, v6, v6);
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v11;
  TASSIGN(v11, v8);
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v12;
  TASSIGN(v12, v9);
  pto::Shape<1, 1, 1, 32, 32> v13 = pto::Shape<1, 1, 1, 32, 32>();
  pto::Stride<1024, 1024, 1024, 32, 1> v14 = pto::Stride<1024, 1024, 1024, 32, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND> v15 = GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND>(v2, v13, v14);
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND> v16 = GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND>(v3, v13, v14);
  TLOAD(v11, v15);
  TLOAD(v12, v16);
  Tile<TileType::Left, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v18;
  TASSIGN(v18, v8);
  Tile<TileType::Right, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v19;
  TASSIGN(v19, v8);
  Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v20;
  TASSIGN(v20, v8);
  Tile<TileType::Left, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v21;
  TASSIGN(v21, v9);
  Tile<TileType::Right, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v22;
  TASSIGN(v22, v9);
  Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v23;
  TASSIGN(v23, v9);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TEXTRACT(v18, v11, v6, v6);
  TEXTRACT(v19, v12, v6, v6);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  TMATMUL(v20, v18, v19);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>, Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v10, v20);
  set_flag(PIPE_FIX, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_FIX, PIPE_MTE1, EVENT_ID0); // expect: moved to set_flag(PIPE_MTE1, PIPE_M [sink-wait]
  TEXTRACT(v21, v11, v6, v6);
  TEXTRACT(v22, v12, v6, v6);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
  TMATMUL(v23, v21, v22);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
  TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>, Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v10, v23);
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void scores_of_blocks(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, __gm__ half* v4) {
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int64_t v8 = 0;
  const int64_t v9 = 4096;
  const int64_t v17 = 8192;
  using T = float;

  #if defined(__DAV_CUBE__)
  auto v10 = TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>(v1, v6, v6);
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v11;
  TASSIGN(v11, v8);
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v12;
  TASSIGN(v12, v9);
  pto::Shape<1, 1, 1, 32, 32> v13 = pto::Shape<1, 1, 1, 32, 32>();
  pto::Stride<1024, 1024, 1024, 32, 1> v14 = pto::Stride<1024, 1024, 1024, 32, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND> v15 = GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND>(v2, v13, v14);
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND> v16 = GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND>(v3, v13, v14);
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND> v24 = GlobalTensor<half, pto::Shape<1, 1, 1, 32, 32>, pto::Stride<1024, 1024, 1024, 32, 1>, pto::Layout::ND>(v4, v13, v14);
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v25;
  TASSIGN(v25, v17);
  Tile<TileType::Left, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v18;
  TASSIGN(v18, v8);
  Tile<TileType::Right, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v19;
  TASSIGN(v19, v8);
  Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v20;
  TASSIGN(v20, v8);
  Tile<TileType::Left, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v21;
  TASSIGN(v21, v9);
  Tile<TileType::Right, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v22;
  TASSIGN(v22, v9);
  Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v23;
  TASSIGN(v23, v9);
  TLOAD(v11, v15);
  TLOAD(v12, v16);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TEXTRACT(v18, v11, v6, v6);
  TEXTRACT(v19, v12, v6, v6);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  TMATMUL(v20, v18, v19);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
  TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>, Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v10, v20);
  set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v25, v24);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
  TEXTRACT(v21, v25, v6, v6);
  TEXTRACT(v22, v12, v6, v6);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
  TMATMUL(v23, v21, v22);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
  TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>, Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v10, v23);
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
