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

// Three slots, each loaded, worked on in place and stored; all pipes wait for all between the steps.
extern "C" __global__ AICORE void resync_pipeline(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 3;
  const int64_t v7 = 0;
  const int64_t v8 = 32768;
  const int64_t v9 = 65536;
  const float v10 = 1.0f;
  const float v11 = 2.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
  uint64_t v15 = (uint64_t) v7;
  TASSIGN(v12, v15);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v16 = (uint64_t) v8;
  TASSIGN(v13, v16);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
  uint64_t v17 = (uint64_t) v9;
  TASSIGN(v14, v17);
  for (int64_t v18 = v4; v18 < (int64_t) v3; v18 += v5) {
    int64_t v19 = (int64_t) ((uint64_t) v18 * (uint64_t) v6);
    pto::Shape<1, 1, 1, 64, 128> v20 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v21 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + ((v19 + 0) * 8192), v20, v21);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v23 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2 + ((v19 + 0) * 8192), v20, v21);
    TLOAD(v12, v22);
    pipe_barrier(PIPE_ALL); // expect: kept
    TADDS(v12, v12, v10);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 53, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TMULS(v12, v12, v11);
    pipe_barrier(PIPE_ALL); // expect: kept
    TSTORE(v23, v12);
    pto::Shape<1, 1, 1, 64, 128> v24 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v25 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + ((v19 + 1) * 8192), v24, v25);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v27 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2 + ((v19 + 1) * 8192), v24, v25);
    TLOAD(v13, v26);
    pipe_barrier(PIPE_ALL); // expect: kept
    TADDS(v13, v13, v10);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 64, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TMULS(v13, v13, v11);
    pipe_barrier(PIPE_ALL); // expect: kept
    TSTORE(v27, v13);
    pto::Shape<1, 1, 1, 64, 128> v28 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v29 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v30 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + ((v19 + 2) * 8192), v28, v29);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v31 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2 + ((v19 + 2) * 8192), v28, v29);
    TLOAD(v14, v30);
    pipe_barrier(PIPE_ALL); // expect: kept
    TADDS(v14, v14, v10);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 75, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TMULS(v14, v14, v11);
    pipe_barrier(PIPE_ALL); // expect: kept
    TSTORE(v31, v14);
    /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: barrier at 49] */ // expect: removed [redundant-pipe-all]
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
