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

// Three loads, each waited for on its own; by then the vector unit has been busy for longer than they take.
extern "C" __global__ AICORE void resync_side_by_side(__gm__ float* v1, __gm__ float* v2) {
  const int64_t v4 = 0;
  const int64_t v6 = 32768;
  const int64_t v7 = 65536;
  const int64_t v8 = 98304;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v4;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v6;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v7;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v8;
  TASSIGN(v17, v18);
  pto::Shape<1, 1, 1, 64, 128> v20 = pto::Shape<1, 1, 1, 64, 128>();
  pto::Stride<8192, 8192, 8192, 128, 1> v21 = pto::Stride<8192, 8192, 8192, 128, 1>();
  const float v9 = 0.0f;
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + 0, v20, v21);
  TLOAD(v11, v30);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + 8192, v20, v21);
  TLOAD(v13, v31);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v32 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + 16384, v20, v21);
  TLOAD(v15, v32);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  TEXPANDS(v17, v9);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  TEXP(v17, v17);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TADDS(v11, v11, v9);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TADDS(v13, v13, v9);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  TADDS(v15, v15, v9);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v33 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2, v20, v21);
  TSTORE(v33, v15);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
