#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float* p, int64_t n) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true> v = TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true>(p, 0, 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t1;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t2;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t3;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (131072));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> e;
  TASSIGN(e, (uint64_t) (65536));
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v, t1);
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v, t2);
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(v, t3);
  auto u = v;
  pipe_barrier(PIPE_ALL);
  TPOP<TPipe<0, Direction::DIR_C2V, 2048, 2, 2, true>, Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>, TileSplitAxis::TILE_UP_DOWN>(u, t1);
  pipe_barrier(PIPE_ALL);
  TADDS(t1, e, f);
  pipe_barrier(PIPE_V);
  TADDS(d, t2, f);
#endif
  pipe_barrier(PIPE_ALL);
}
