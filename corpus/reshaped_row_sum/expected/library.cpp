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

extern "C" __global__ AICORE void reshaped_row_sum(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, __gm__ float* v4, __gm__ float* v5) {
  unsigned v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 16;
  const int32_t v9 = 128;
  const int64_t v10 = 0;
  const int64_t v11 = 8192;
  const int64_t v12 = 16384;
  const int64_t v13 = 24576;
  const int64_t v14 = 32768;
  const int64_t v15 = 32832;
  const int64_t v16 = 32896;
  const int64_t v17 = 32960;
  const int64_t v18 = 33024;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v19;
  uint64_t v20 = (uint64_t) v14;
  TASSIGN(v19, v20);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v15;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v18;
  TASSIGN(v23, v24);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
  TRESHAPE(v25, v19);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v26;
  TRESHAPE(v26, v23);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v16;
  TASSIGN(v27, v28);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v17;
  TASSIGN(v29, v30);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v10;
  TASSIGN(v31, v32);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v11;
  TASSIGN(v33, v34);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v35;
  uint64_t v36 = (uint64_t) v12;
  TASSIGN(v35, v36);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v37;
  uint64_t v38 = (uint64_t) v13;
  TASSIGN(v37, v38);
  pto::Shape<1, 1, 1, 16, 128> v39 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v40 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v41 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v6 + v6 * (unsigned) v9 + v6 * (unsigned) v7), v39, v40);
  pto::Shape<1, 1, 1, 16, 128> v42 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v43 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v44 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v6 + v6 * (unsigned) v9 + v6 * (unsigned) v7), v42, v43);
  pto::Shape<1, 1, 1, 1, 16> v45 = pto::Shape<1, 1, 1, 1, 16>();
  pto::Stride<16, 16, 16, 16, 1> v46 = pto::Stride<16, 16, 16, 16, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND> v47 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND>(v3 + (v6 + v6 * (unsigned) v8 + v6 * (unsigned) v7), v45, v46);
  pto::Shape<1, 1, 1, 1, 16> v48 = pto::Shape<1, 1, 1, 1, 16>();
  pto::Stride<16, 16, 16, 16, 1> v49 = pto::Stride<16, 16, 16, 16, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND> v50 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND>(v3 + (v6 + (unsigned) v7 * (unsigned) v8 + v6 * (unsigned) v7), v48, v49);
  pto::Shape<1, 1, 1, 16, 1> v51 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v52 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v53 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v3 + (v6 + (unsigned) v9 * (unsigned) v7 + v6 * (unsigned) v8), v51, v52);
  TLOAD(v27, v47);
  TLOAD(v29, v50);
  TLOAD(v23, v53);
  TLOAD(v31, v41);
  TLOAD(v33, v44);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TROWSUM(v19, v31, v35);
  /* ptosync: removed pipe_barrier(PIPE_V) [softmax-sum-add: nothing to order] */ // expect: kept RAW; library: removed [softmax-sum-add]
  TADD(v27, v27, v25);
  TROWSUM(v21, v33, v37);
  /* ptosync: removed pipe_barrier(PIPE_V) [softmax-sum-add: nothing to order] */ // expect: removed [softmax-sum-add]
  TADD(v29, v29, v26);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  /* ptosync: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1) [redundant-flag: with wait at 106] */ // expect: removed [redundant-flag]
  pto::Shape<1, 1, 1, 1, 16> v54 = pto::Shape<1, 1, 1, 1, 16>();
  pto::Stride<16, 16, 16, 16, 1> v55 = pto::Stride<16, 16, 16, 16, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND> v56 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND>(v4 + (v6 + v6 * (unsigned) v8 + v6 * (unsigned) v7), v54, v55);
  pto::Shape<1, 1, 1, 1, 16> v57 = pto::Shape<1, 1, 1, 1, 16>();
  pto::Stride<16, 16, 16, 16, 1> v58 = pto::Stride<16, 16, 16, 16, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND> v59 = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 16>, pto::Stride<16, 16, 16, 16, 1>, pto::Layout::ND>(v5 + (v6 + v6 * (unsigned) v8 + v6 * (unsigned) v7), v57, v58);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v56, v27);
  /* ptosync: removed wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1) [redundant-flag: nothing to order] */ // expect: removed [redundant-flag]
  TSTORE(v59, v29);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
