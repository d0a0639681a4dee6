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

// Where the second operand lies. With -DWIDE it is what the first exponential writes.
enum Slot : int64_t {
#ifdef WIDE
  kHead,
#endif
  kFirst,
  kSecond
};

extern "C" __global__ AICORE void another_build(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v11 = 0;
  const int64_t v12 = 4096;
  const int64_t v13 = kSecond * 2048 + 6144 - kFirst * 6144;
  const int64_t v14 = 65536;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v3;
  uint64_t v15 = (uint64_t) v11;
  TASSIGN(v3, v15);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v4;
  uint64_t v16 = (uint64_t) v12;
  TASSIGN(v4, v16);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v5;
  uint64_t v17 = (uint64_t) v13;
  TASSIGN(v5, v17);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v6;
  uint64_t v18 = (uint64_t) v14;
  TASSIGN(v6, v18);
  pto::Shape<1, 1, 1, 8, 64> v7 = pto::Shape<1, 1, 1, 8, 64>();
  pto::Stride<512, 512, 512, 64, 1> v8 = pto::Stride<512, 512, 512, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, v7, v8);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v10 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, v7, v8);
  TLOAD(v3, v9);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept protected
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept protected
  TEXP(v4, v3);
  pipe_barrier(PIPE_V); // expect: kept protected
  TEXP(v6, v5);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept protected
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept protected
  TSTORE(v10, v6);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
