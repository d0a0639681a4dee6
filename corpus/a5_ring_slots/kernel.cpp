#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void in_the_third_slot(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  const int32_t v4 = 32768;
  const float v5 = 1.0f;
  const int64_t v6 = 0;
  const int64_t v7 = 36864;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>(v1, v4, v4);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v6;
  TASSIGN(v9, v10);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v7;
  TASSIGN(v11, v12);
  pto::Shape<1, 1, 1, 8, 64> v13 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v14 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v13, v14);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3, v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v19);
  pipe_barrier(PIPE_ALL); // expect: kept
  TADDS(v9, v19, v5);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(v11, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v16, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept
  return;
}

extern "C" __global__ AICORE void in_the_first_slot(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  const int32_t v4 = 32768;
  const float v5 = 1.0f;
  const int64_t v6 = 0;
  const int64_t v7 = 32768;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>(v1, v4, v4);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v6;
  TASSIGN(v9, v10);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v7;
  TASSIGN(v11, v12);
  pto::Shape<1, 1, 1, 8, 64> v13 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v14 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v13, v14);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3, v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v19);
  pipe_barrier(PIPE_ALL); // expect: kept
  TADDS(v9, v19, v5);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed
  TLOAD(v11, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v16, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept
  return;
}

extern "C" __global__ AICORE void behind_the_ring(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  const int32_t v4 = 32768;
  const float v5 = 1.0f;
  const int64_t v6 = 0;
  const int64_t v7 = 40960;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto v8 = TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>(v1, v4, v4);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
  uint64_t v10 = (uint64_t) v6;
  TASSIGN(v9, v10);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v7;
  TASSIGN(v11, v12);
  pto::Shape<1, 1, 1, 8, 64> v13 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v14 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v15 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v13, v14);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v16 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v3, v13, v14);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v18);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_NO_SPLIT>(v8, v19);
  pipe_barrier(PIPE_ALL); // expect: kept
  TADDS(v9, v19, v5);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: removed
  TLOAD(v11, v15);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v16, v9);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  TFREE<TPipe<0, Direction::DIR_C2V, 2048, 4, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(v8);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept
  return;
}
