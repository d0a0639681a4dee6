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

// Two loads, of which every arm of a branch needs the second one late; one flag for both.
extern "C" __global__ AICORE void resync_arms(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 3;
  const int64_t v7 = 32768;
  const int64_t v8 = 65536;
  const float v9 = 1.0f;
  const float v10 = 2.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v11;
  uint64_t v12 = (uint64_t) v4;
  TASSIGN(v11, v12);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v7;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v8;
  TASSIGN(v15, v16);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  for (int64_t v17 = v4; v17 < (int64_t) v3; v17 += v5) {
    pto::Shape<1, 1, 1, 64, 128> v18 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v19 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + (v17 * 16384), v18, v19);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v21 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v1 + (v17 * 16384 + 8192), v18, v19);
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v22 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v2 + (v17 * 8192), v18, v19);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v11, v20);
    TLOAD(v13, v21);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    int64_t v23 = v17 % v6;
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    if (v23 == v4) {
      TMULS(v11, v11, v10);
      /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 53, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
      TADDS(v11, v11, v9);
      /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 53, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
      TADD(v15, v11, v13);
    } else {
      if (v23 == v5) {
        TMULS(v11, v11, v9);
        /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 53, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
        TADD(v15, v11, v13);
      } else {
        TADDS(v11, v11, v9);
        /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 53, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
        TADD(v15, v11, v13);
      };
    };
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v22, v15);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
