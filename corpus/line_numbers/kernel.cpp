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

// Lines come and go above a lambda, an unnamed type and what prints its line.
#define TRACE(condition) \
  do { \
    if (!(condition)) \
      trace(__LINE__); \
  } while (0)
static AICORE void trace(int line) {}

extern "C" __global__ AICORE void line_numbers(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v5 = 0;
  const int64_t v6 = 2048;

  #if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
  TASSIGN(v10, (uint64_t) v5);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  TASSIGN(v11, (uint64_t) v6);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  TASSIGN(v12, (uint64_t) 4096);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  TASSIGN(v13, (uint64_t) 6144);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v20(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v21(v2);
  TLOAD(v10, v20);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: moved to TADDS(v11 [sink-wait]
  TEXPANDS(v12, 0.0f);
  auto v30 = [&]() { TEXPANDS(v13, 0.0f); };
  struct {
    int32_t step;
  } v31 = {v3};
  v30();
  TRACE(v31.step >= 0);
  TADDS(v11, v10, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v21, v11);
  #endif // __DAV_VEC__
  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
