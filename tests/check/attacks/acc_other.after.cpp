#include "pto/pto-inst.hpp"
using namespace pto;

extern "C" __global__ AICORE void k(__gm__ float* p, __gm__ float* q, int64_t n, int64_t m) {
  const float f = 1.0f;
#if defined(__DAV_VEC__)
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> x;
  TASSIGN(x, (uint64_t) 0);
  Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> y;
  TASSIGN(y, (uint64_t) 0);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> c;
  TASSIGN(c, (uint64_t) 0);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> e;
  TASSIGN(e, (uint64_t) 0);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> z;
  TASSIGN(z, (uint64_t) 65536);
  TMATMUL(c, x, y);
  TMATMUL_ACC(z, c, x, y);
#endif
  pipe_barrier(PIPE_ALL);
}
