#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float* p, __gm__ float* q, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  std::uint8_t x = 4352;
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) (65536));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (0));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) (x));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (131072));
  TADDS(b, a, f);
  TADDS(d, c, f);
#endif
  pipe_barrier(PIPE_ALL);
}
