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

// The second sub-core finds its half of the slot behind the first one's.
extern "C" __global__ AICORE void half_a_slot(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 2048;
  const int64_t v5 = 512;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v6 = TPipe<0, Direction::DIR_C2V, 4096, 4>(v1, 32768, 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v3);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  TASSIGN(v8, (uint64_t)v4);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v10 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + v5, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);
  TSTORE(v10, v7);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v8, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept
}

// No entry of a first sub-core begins that far behind.
extern "C" __global__ AICORE void last_half(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 2048;
  const int64_t v5 = 3584;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v6 = TPipe<0, Direction::DIR_C2V, 4096, 4>(v1, 32768, 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v3);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  TASSIGN(v8, (uint64_t)v4);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v10 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + v5, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);
  TSTORE(v10, v7);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v8, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept
}

// The second sub-core finds its columns beside the first one's.
extern "C" __global__ AICORE void beside_it(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 2048;
  const int64_t v5 = 64;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v6 = TPipe<0, Direction::DIR_C2V, 4096, 4>(v1, 32768, 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v3);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  TASSIGN(v8, (uint64_t)v4);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<1024, 1024, 1024, 128, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND> v10 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND>(v1 + v5, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<1024, 1024, 1024, 128, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_LEFT_RIGHT>(v6, v9);
  TSTORE(v10, v7);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v8, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<1024, 1024, 1024, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_LEFT_RIGHT>(v6, v9);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept
}

// Nothing of the ring lies there.
extern "C" __global__ AICORE void behind_the_ring(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 2048;
  const int64_t v5 = 4096;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v6 = TPipe<0, Direction::DIR_C2V, 4096, 4>(v1, 32768, 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v7;
  TASSIGN(v7, (uint64_t)v3);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
  TASSIGN(v8, (uint64_t)v4);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v10 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + v5, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);
  TSTORE(v10, v7);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: moved to TFREE<TPipe<0 [sink-wait]
  TLOAD(v8, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 4>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v6, v9);

  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept
}
