#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ int32_t* p, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(64);
  TASSIGN(a, (uint64_t) 0);
  Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(64);
  TASSIGN(b, (uint64_t) 65536);
  Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(64);
  TASSIGN(c, (uint64_t) 131072);
  if (n > 0) {
    pipe_barrier(PIPE_MTE2);
    a.SetValidShape(64, 64);
    b.SetValidShape(64, 64);
    c.SetValidShape(64, 64);
  } else {
    a.SetValidShape(4, 64);
    b.SetValidShape(4, 64);
    c.SetValidShape(4, 64);
  }
  TADDS(b, a, f);
  pipe_barrier(PIPE_V);
  TADDS(c, b, f);
#endif
  pipe_barrier(PIPE_ALL);
}
