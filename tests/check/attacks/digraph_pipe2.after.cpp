#include "pto/pto-inst.hpp"
using namespace pto;
constexpr int64_t z = 0;
%:define EVENT_ID1 EVENT_ID0
extern "C" __global__ AICORE void k(__gm__ float* p) {
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) (65536));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (4096));
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d;
  TASSIGN(d, (uint64_t) (131072));
const float f = 1.0f;
  TADDS(b, a, f);
  pipe_barrier(PIPE_ALL);
  TADDS(d, b, f);
  pipe_barrier(PIPE_ALL);
}
