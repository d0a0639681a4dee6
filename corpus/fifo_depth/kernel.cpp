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

extern "C" __global__ AICORE void depth_one(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 8;
  const float v9 = 0.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 4096;
  using T = float;

  #if defined(__DAV_CUBE__)
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 1, 1, true>(v1, v6, v6);
  Tile<TileType::Mat, half, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Left, half, 16, 64, BLayout::RowMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v10;
  TASSIGN(v17, v18);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v10;
  TASSIGN(v19, v20);
  Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 16, 64> v23 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v24 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2, v23, v24);
  pto::Shape<1, 1, 1, 64, 64> v26 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v27 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v3, v26, v27);
  TLOAD(v13, v25);
  TLOAD(v15, v28);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TMOV(v17, v13);
  TMOV(v19, v15);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  for (size_t v29 = (size_t) v6; v29 < ((size_t) v8); v29 += (size_t) v7) {
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    TMATMUL(v21, v17, v19);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 1, 1, true>, Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v21);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  #endif // __DAV_CUBE__

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 1, 1, true>(v1, v6, v6);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 16, 64> v16 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v17 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v4, v16, v17);
  TEXPANDS(v14, v9);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TEXPANDS(v14 [raise-set]
  for (size_t v19 = (size_t) v6; v19 < ((size_t) v8); v19 += (size_t) v7) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TPOP<TPipe<0, Direction::DIR_C2V, 4096, 1, 1, true>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v13);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
    TADD(v14, v14, v13);
    TFREE<TPipe<0, Direction::DIR_C2V, 4096, 1, 1, true>, TileSplitAxis::TILE_NO_SPLIT>(v12);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v18, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void depth_two(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 8;
  const float v9 = 0.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 4096;
  using T = float;

  #if defined(__DAV_CUBE__)
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 2, 1, true>(v1, v6, v6);
  Tile<TileType::Mat, half, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Left, half, 16, 64, BLayout::RowMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v10;
  TASSIGN(v17, v18);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v10;
  TASSIGN(v19, v20);
  Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 16, 64> v23 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v24 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2, v23, v24);
  pto::Shape<1, 1, 1, 64, 64> v26 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v27 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v3, v26, v27);
  TLOAD(v13, v25);
  TLOAD(v15, v28);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TMOV(v17, v13);
  TMOV(v19, v15);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  for (size_t v29 = (size_t) v6; v29 < ((size_t) v8); v29 += (size_t) v7) {
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    TMATMUL(v21, v17, v19);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 2, 1, true>, Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v21);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  #endif // __DAV_CUBE__

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 2, 1, true>(v1, v6, v6);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 16, 64> v16 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v17 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v4, v16, v17);
  TEXPANDS(v14, v9);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TEXPANDS(v14 [raise-set]
  for (size_t v19 = (size_t) v6; v19 < ((size_t) v8); v19 += (size_t) v7) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TPOP<TPipe<0, Direction::DIR_C2V, 4096, 2, 1, true>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v13);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
    TADD(v14, v14, v13);
    TFREE<TPipe<0, Direction::DIR_C2V, 4096, 2, 1, true>, TileSplitAxis::TILE_NO_SPLIT>(v12);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v18, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void depth_four(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, __gm__ float* v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 8;
  const float v9 = 0.0f;
  const int64_t v10 = 0;
  const int64_t v11 = 4096;
  using T = float;

  #if defined(__DAV_CUBE__)
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 4, 1, true>(v1, v6, v6);
  Tile<TileType::Mat, half, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v10;
  TASSIGN(v13, v14);
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v11;
  TASSIGN(v15, v16);
  Tile<TileType::Left, half, 16, 64, BLayout::RowMajor, 16, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v10;
  TASSIGN(v17, v18);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v10;
  TASSIGN(v19, v20);
  Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v10;
  TASSIGN(v21, v22);
  pto::Shape<1, 1, 1, 16, 64> v23 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v24 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v25 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v2, v23, v24);
  pto::Shape<1, 1, 1, 64, 64> v26 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v27 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v28 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v3, v26, v27);
  TLOAD(v13, v25);
  TLOAD(v15, v28);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
  TMOV(v17, v13);
  TMOV(v19, v15);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  for (size_t v29 = (size_t) v6; v29 < ((size_t) v8); v29 += (size_t) v7) {
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    TMATMUL(v21, v17, v19);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    TPUSH<TPipe<0, Direction::DIR_C2V, 4096, 4, 1, true>, Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v21);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  #endif // __DAV_CUBE__

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v12 = TPipe<0, Direction::DIR_C2V, 4096, 4, 1, true>(v1, v6, v6);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v14, v15);
  pto::Shape<1, 1, 1, 16, 64> v16 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v17 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v18 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v4, v16, v17);
  TEXPANDS(v14, v9);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: moved to TEXPANDS(v14 [raise-set]
  for (size_t v19 = (size_t) v6; v19 < ((size_t) v8); v19 += (size_t) v7) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4, 1, true>, Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v12, v13);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
    TADD(v14, v14, v13);
    TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4, 1, true>, TileSplitAxis::TILE_NO_SPLIT>(v12);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v18, v14);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
