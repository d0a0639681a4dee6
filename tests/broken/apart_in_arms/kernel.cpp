#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *v1, __gm__ float *v2, int32_t v3, int32_t v9) {
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  TASSIGN(v5, (uint64_t) 4096);
  for (int32_t v6 = 0; v6 < v3; v6 += 1) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v8(v2 + v6 * 1024);
    if (v6 < v9) {
      TADDS(v5, v5, 1.0f);
    } else {
      TSTORE(v8, v5);
    }
  }
  pipe_barrier(PIPE_ALL);
  dsb((mem_dsb_t) 0);
}
