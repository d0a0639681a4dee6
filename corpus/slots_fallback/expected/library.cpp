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

extern "C" __global__ AICORE void slots_fallback(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3) {
  unsigned v4 = 1024;
  const int32_t v5 = 0;
  const int32_t v6 = 1;
  const int32_t v7 = 64;
  const int32_t v8 = 3;
  const int32_t v9 = 2;
  const float v10 = 1.0f;
  const int64_t v11 = 0;
  const int64_t v12 = 4096;
  const int64_t v13 = 8192;
  const int64_t v14 = 12288;
  const int64_t v15 = 16384;
  const int64_t v16 = 20480;
  const int64_t v17 = 1;
  const int64_t v18 = 2;
  const int32_t v19 = 63;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  /* ptosync: removed set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0) [redundant-flag: with waits at 113, 126, 127 and 128] */ // expect: removed [redundant-flag]
  /* ptosync: removed set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1) [redundant-flag: with waits at 113, 126, 127 and 128] */ // expect: removed [redundant-flag]
  /* ptosync: removed set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2) [redundant-flag: with waits at 113, 126, 127 and 128] */ // expect: removed [redundant-flag]
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); // expect: kept WAR
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v20;
  uint64_t v21 = (uint64_t) v11;
  TASSIGN(v20, v21);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  pto::Shape<1, 1, 1, 1, 1024> v24 = pto::Shape<1, 1, 1, 1, 1024>();
  pto::Stride<1024, 1024, 1024, 1024, 1> v25 = pto::Stride<1024, 1024, 1024, 1024, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v26 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + (unsigned) v5 * v4, v24, v25);
  pto::Shape<1, 1, 1, 1, 1024> v27 = pto::Shape<1, 1, 1, 1, 1024>();
  pto::Stride<1024, 1024, 1024, 1024, 1> v28 = pto::Stride<1024, 1024, 1024, 1024, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v29 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + (unsigned) v5 * v4, v27, v28);
  TLOAD(v20, v26);
  TLOAD(v22, v29);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v30;
  uint64_t v31 = (uint64_t) v12;
  TASSIGN(v30, v31);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v32;
  uint64_t v33 = (uint64_t) v15;
  TASSIGN(v32, v33);
  pto::Shape<1, 1, 1, 1, 1024> v34 = pto::Shape<1, 1, 1, 1, 1024>();
  pto::Stride<1024, 1024, 1024, 1024, 1> v35 = pto::Stride<1024, 1024, 1024, 1024, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v36 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + (unsigned) v6 * v4, v34, v35);
  pto::Shape<1, 1, 1, 1, 1024> v37 = pto::Shape<1, 1, 1, 1, 1024>();
  pto::Stride<1024, 1024, 1024, 1024, 1> v38 = pto::Stride<1024, 1024, 1024, 1024, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v39 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + (unsigned) v6 * v4, v37, v38);
  TLOAD(v30, v36);
  TLOAD(v32, v39);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept RAW
  for (size_t v40 = (size_t) v5; v40 < ((size_t) v7); v40 += (size_t) v6) {
    int32_t v41 = (int32_t) v40;
    int32_t v42 = v41 + v9;
    int32_t v43 = v42 < v7 ? v42 : v19;
    int32_t v44 = v41 % v8;
    bool v45 = v44 == v6;
    bool v46 = v44 == v9;
    Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v47;
    uint64_t v48 = (uint64_t) (v46 ? v13 : v45 ? v12 : v11);
    TASSIGN(v47, v48);
    Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v49;
    uint64_t v50 = (uint64_t) (v46 ? v16 : v45 ? v15 : v14);
    TASSIGN(v49, v50);
    event_t v51 = (event_t) (v46 ? v18 : v45 ? v17 : v11);
    int32_t v52 = v42 % v8;
    bool v53 = v52 == v6;
    bool v54 = v52 == v9;
    Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v55;
    uint64_t v56 = (uint64_t) (v54 ? v13 : v53 ? v12 : v11);
    TASSIGN(v55, v56);
    Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v57;
    uint64_t v58 = (uint64_t) (v54 ? v16 : v53 ? v15 : v14);
    TASSIGN(v57, v58);
    event_t v59 = (event_t) (v54 ? v18 : v53 ? v17 : v11);
    pto::Shape<1, 1, 1, 1, 1024> v60 = pto::Shape<1, 1, 1, 1, 1024>();
    pto::Stride<1024, 1024, 1024, 1024, 1> v61 = pto::Stride<1024, 1024, 1024, 1024, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v62 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v1 + (unsigned) v43 * v4, v60, v61);
    pto::Shape<1, 1, 1, 1, 1024> v63 = pto::Shape<1, 1, 1, 1, 1024>();
    pto::Stride<1024, 1024, 1024, 1024, 1> v64 = pto::Stride<1024, 1024, 1024, 1024, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v65 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v2 + (unsigned) v43 * v4, v63, v64);
    wait_flag(PIPE_MTE3, PIPE_MTE2, v59); // expect: kept WAR
    TLOAD(v55, v62);
    /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: flags at 104, 109 and 119] */ // expect: removed [redundant-pipe-all]
    TLOAD(v57, v65);
    set_flag(PIPE_MTE2, PIPE_V, v59); // expect: kept RAW
    wait_flag(PIPE_MTE2, PIPE_V, v51); // expect: kept RAW
    TADD(v47, v47, v49);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 109, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    /* ptosync: removed pipe_barrier(PIPE_ALL) [redundant-pipe-all: flags at 104, 109 and 119, rule same-access-chain] */ // expect: removed [redundant-pipe-all]
    /* ptosync: removed wait_flag(PIPE_MTE3, PIPE_V, v51) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
    TADDS(v47, v47, v10);
    set_flag(PIPE_V, PIPE_MTE3, v51); // expect: kept RAW
    pto::Shape<1, 1, 1, 1, 1024> v66 = pto::Shape<1, 1, 1, 1, 1024>();
    pto::Stride<1024, 1024, 1024, 1024, 1> v67 = pto::Stride<1024, 1024, 1024, 1024, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND> v68 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>, pto::Layout::ND>(v3 + (unsigned) v41 * v4, v66, v67);
    wait_flag(PIPE_V, PIPE_MTE3, v51); // expect: kept RAW
    TSTORE(v68, v47);
    /* ptosync: removed set_flag(PIPE_MTE3, PIPE_V, v51) [redundant-flag: with waits at 113, 126, 127 and 128] */ // expect: removed [redundant-flag]
    set_flag(PIPE_MTE3, PIPE_MTE2, v51); // expect: kept WAR
  }
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept RAW
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept RAW
  /* ptosync: removed wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  /* ptosync: removed wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept WAR
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
