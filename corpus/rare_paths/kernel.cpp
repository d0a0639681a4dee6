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

extern "C" __global__ AICORE void signal_each_block(__gm__ int32_t *v1, int32_t v2, int32_t v3) {
#if defined(__DAV_VEC__)
  for (int32_t v4 = 0; v4 < v2; v4 += 1) {
    GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 1>, pto::Stride<1, 1, 1, 1, 1>, pto::Layout::ND> v5(v1 +
                                                                                                     (int64_t)v4 * 16);
    TNOTIFY(v5, 1, NotifyOp::Set);
    if (v3 % 1009 == 640) {
      pipe_barrier(PIPE_ALL); // expect: kept
    }
  }
#endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void store_beside_pops(__gm__ float *v1, __gm__ float *v2, int32_t v3, int32_t v4) {
#if defined(__DAV_VEC__)
  auto v5 = TPipe<0, Direction::DIR_C2V, 4096, 4, 4, false>(v2, (int32_t)65536, (int32_t)0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v6;
  TASSIGN(v6, (uint64_t)0);
  for (int32_t v7 = 0; v7 < v3; v7 += 1) {
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v8(v2);
    TPOP<TPipe<0, Direction::DIR_C2V, 4096, 4, 4, false>,
         GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>,
         TileSplitAxis::TILE_NO_SPLIT>(v5, v8);
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9(
        v1 + (int64_t)v7 * 512);
    TSTORE(v9, v6);
    if (v4 % 1009 == 640) {
      set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);  // expect: kept
      wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID2); // expect: kept
    }
  }
#endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void put_behind_a_store(__gm__ float *v1, __gm__ float *v2, __gm__ float *v3, int32_t v4) {
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v5;
  TASSIGN(v5, (uint64_t)0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v6;
  TASSIGN(v6, (uint64_t)4096);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v7;
  TASSIGN(v7, (uint64_t)8192);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v8;
  TASSIGN(v8, (uint64_t)12288);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v9(v1);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v10(v2);
  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v11(v3);
  if (v4 % 1009 == 640) {
    TLOAD(v5, v9);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);  // expect: kept
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1); // expect: kept
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);     // expect: kept
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);    // expect: kept
    TMULS(v6, v5, 2.0f);
    pipe_barrier(PIPE_MTE2);                    // ptosync: keep(the call reads what was loaded) expect: kept protected
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID4);  // expect: kept
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID4); // expect: kept
    TPUT(v10, v11, v7, v8);
  }
#endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void read_behind_an_expansion(__gm__ float *v1, int32_t v2) {
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null,
       CompactMode::Null>
      v3;
  TASSIGN(v3, (uint64_t)0);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>
      v4;
  TASSIGN(v4, (uint64_t)8192);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null,
       CompactMode::Null>
      v5;
  TASSIGN(v5, (uint64_t)12288);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null,
       CompactMode::Null>
      v6;
  TASSIGN(v6, (uint64_t)20480);
  TROWEXPAND(v3, v4);
  set_flag(PIPE_S, PIPE_V, EVENT_ID5);  // expect: kept
  wait_flag(PIPE_S, PIPE_V, EVENT_ID5); // expect: moved to set_flag(PIPE_V, PIPE_S [sink-wait]
  TADDS(v5, v6, 1.0f);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);  // expect: kept
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0); // expect: kept
  v5.SetValue(0, 0.0f);
#endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void meet_and_return(int32_t v1) {
#if defined(__DAV_VEC__)
  SYNCALL();
  if (v1 % 1009 == 640) {
    pipe_barrier(PIPE_ALL); // expect: kept
  }
#endif // __DAV_VEC__
  return;
}
