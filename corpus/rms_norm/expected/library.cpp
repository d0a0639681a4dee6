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

extern "C" __global__ AICORE void rms_norm(__gm__ bfloat16_t* v1, __gm__ float* v2, __gm__ bfloat16_t* v3) {
  SaturationMode v4 = SaturationMode::OFF;
  RoundMode v5 = RoundMode::CAST_ROUND;
  unsigned v6 = 0;
  const int32_t v7 = 0;
  const int32_t v8 = 1;
  const int32_t v9 = 4;
  const int32_t v10 = 16;
  const int32_t v11 = 256;
  const int32_t v12 = 1024;
  const float v13 = 0.0f;
  const float v14 = 9.765625E-4f;
  const float v15 = 1.0E-6f;
  const int64_t v16 = 0;
  const int64_t v17 = 8192;
  const int64_t v18 = 24576;
  const int64_t v19 = 40960;
  const int64_t v20 = 57344;
  const int64_t v21 = 65536;
  const int64_t v22 = 66560;
  const int64_t v23 = 66624;
  const int64_t v24 = 66688;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v23;
  TASSIGN(v25, v26);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v22;
  TASSIGN(v27, v28);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
  TRESHAPE(v29, v27);
  Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v30;
  uint64_t v31 = (uint64_t) v19;
  TASSIGN(v30, v31);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  TEXPANDS(v25, v13);
  for (size_t v32 = (size_t) v7; v32 < ((size_t) v9); v32 += (size_t) v8) {
    int32_t v33 = (int32_t) ((uint32_t) ((int32_t) v32) * (uint32_t) v11);
    Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v34;
    uint64_t v35 = (uint64_t) v16;
    TASSIGN(v34, v35);
    pto::Shape<1, 1, 1, 16, 256> v36 = pto::Shape<1, 1, 1, 16, 256>();
    pto::Stride<16384, 16384, 16384, 1024, 1> v37 = pto::Stride<16384, 16384, 16384, 1024, 1>();
    GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND> v38 = GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND>(v1 + (v6 + v6 * (unsigned) v12 + (unsigned) v33 * (unsigned) v8), v36, v37);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v34, v38);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v39;
    uint64_t v40 = (uint64_t) v17;
    TASSIGN(v39, v40);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    TCVT(v39, v34, v5, v4);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v41;
    uint64_t v42 = (uint64_t) v18;
    TASSIGN(v41, v42);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 80, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TMUL(v41, v39, v39);
    pipe_barrier(PIPE_V); // expect: kept WAR
    TROWSUM(v27, v41, v30);
    /* ptosync: removed pipe_barrier(PIPE_V) [softmax-sum-add: nothing to order] */ // expect: kept RAW; library: removed [softmax-sum-add]
    TADD(v25, v25, v29);
  }
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // ptosync: moved from line 98 [raise-set]
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMULS(v25, v25, v14);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v25, v25, v15);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v43;
  uint64_t v44 = (uint64_t) v24;
  TASSIGN(v43, v44);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v45;
  uint64_t v46 = (uint64_t) v24;
  TASSIGN(v45, v46);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TRSQRT(v43, v25);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  /* ptosync: moved to line 85: set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1) [raise-set] */ // expect: moved to pipe_barrier(PIPE_V [raise-set]
  for (size_t v47 = (size_t) v7; v47 < ((size_t) v9); v47 += (size_t) v8) {
    int32_t v48 = (int32_t) ((uint32_t) ((int32_t) v47) * (uint32_t) v11);
    Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v49;
    uint64_t v50 = (uint64_t) v16;
    TASSIGN(v49, v50);
    pto::Shape<1, 1, 1, 16, 256> v51 = pto::Shape<1, 1, 1, 16, 256>();
    pto::Stride<16384, 16384, 16384, 1024, 1> v52 = pto::Stride<16384, 16384, 16384, 1024, 1>();
    GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND> v53 = GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND>(v1 + (v6 + v6 * (unsigned) v12 + (unsigned) v48 * (unsigned) v8), v51, v52);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v49, v53);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v54;
    uint64_t v55 = (uint64_t) v21;
    TASSIGN(v54, v55);
    pto::Shape<1, 1, 1, 1, 256> v56 = pto::Shape<1, 1, 1, 1, 256>();
    pto::Stride<256, 256, 256, 256, 1> v57 = pto::Stride<256, 256, 256, 256, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND> v58 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 256>, pto::Stride<256, 256, 256, 256, 1>, pto::Layout::ND>(v2 + (v6 + v6 * (unsigned) v11 + (unsigned) v48 * (unsigned) v8), v56, v57);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
    TLOAD(v54, v58);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
    Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v59;
    uint64_t v60 = (uint64_t) v17;
    TASSIGN(v59, v60);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    pipe_barrier(PIPE_V); // expect: kept
    TCVT(v59, v49, v5, v4);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: inside call at 127] */ // expect: removed [redundant-pipe-v]
    TROWEXPANDMUL(v59, v59, v45);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 123, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TCOLEXPANDMUL(v59, v59, v54);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
    Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v61;
    uint64_t v62 = (uint64_t) v20;
    TASSIGN(v61, v62);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 123, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TCVT(v61, v59, v5, v4);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 16, 256> v63 = pto::Shape<1, 1, 1, 16, 256>();
    pto::Stride<16384, 16384, 16384, 1024, 1> v64 = pto::Stride<16384, 16384, 16384, 1024, 1>();
    GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND> v65 = GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, 16, 256>, pto::Stride<16384, 16384, 16384, 1024, 1>, pto::Layout::ND>(v3 + (v6 + v6 * (unsigned) v12 + (unsigned) v48 * (unsigned) v8), v63, v64);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v65, v61);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void rms_norm_tail_rows(__gm__ bfloat16_t* v1, __gm__ bfloat16_t* v2, int32_t v3) {
  SaturationMode v4 = SaturationMode::OFF;
  RoundMode v5 = RoundMode::CAST_ROUND;
  unsigned v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 256;
  const float v9 = 3.90625E-3f;
  const float v10 = 1.0E-6f;
  const int64_t v11 = 0;
  const int64_t v12 = 8192;
  const int64_t v13 = 24576;
  const int64_t v14 = 40960;
  const int64_t v15 = 57344;
  const int64_t v16 = 57408;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v3);
  uint64_t v18 = (uint64_t) v11;
  TASSIGN(v17, v18);
  Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v3);
  uint64_t v20 = (uint64_t) v12;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, -1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v3);
  uint64_t v22 = (uint64_t) v13;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v14;
  TASSIGN(v23, v24);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v3);
  uint64_t v26 = (uint64_t) v15;
  TASSIGN(v25, v26);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
  TRESHAPE(v27, v25);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v28;
  uint64_t v29 = (uint64_t) v16;
  TASSIGN(v28, v29);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v30 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>(v3);
  uint64_t v31 = (uint64_t) v16;
  TASSIGN(v30, v31);
  pto::Shape<1, 1, 1, -1, 256> v32 = pto::Shape<1, 1, 1, -1, 256>(v3);
  pto::Stride<4096, 4096, 4096, 256, 1> v33 = pto::Stride<4096, 4096, 4096, 256, 1>();
  GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, -1, 256>, pto::Stride<4096, 4096, 4096, 256, 1>, pto::Layout::ND> v34 = GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, -1, 256>, pto::Stride<4096, 4096, 4096, 256, 1>, pto::Layout::ND>(v1 + (v6 + v6 * (unsigned) v8 + v6 * (unsigned) v7), v32, v33);
  TLOAD(v17, v34);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TCVT(v19, v17, v5, v4);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TMUL(v21, v19, v19);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TROWSUM(v25, v21, v23);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept RAW; library: removed
  TMULS(v27, v27, v9);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TADDS(v27, v27, v10);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TRSQRT(v28, v27);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TROWEXPANDMUL(v19, v19, v30);
  pipe_barrier(PIPE_V); // expect: kept RAW
  TCVT(v17, v19, v5, v4);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, -1, 256>, pto::Stride<4096, 4096, 4096, 256, 1>, pto::Layout::ND> v35 = GlobalTensor<bfloat16_t, pto::Shape<1, 1, 1, -1, 256>, pto::Stride<4096, 4096, 4096, 256, 1>, pto::Layout::ND>(v2 + (v6 + v6 * (unsigned) v8 + v6 * (unsigned) v7), v32, v33);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v35, v17);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
