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

extern "C" __global__ AICORE void gemm_ping_pong(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, int32_t v4) {
  unsigned v5 = 0;
  const int32_t v6 = 0;
  const int32_t v7 = 1;
  const int32_t v8 = 2;
  const int32_t v9 = 16;
  const int32_t v10 = 128;
  const int32_t v11 = 64;
  const int32_t v12 = 2048;
  const int32_t v13 = 4096;
  const int64_t v14 = 0;
  const int64_t v15 = 16384;
  const int64_t v16 = 49152;
  const int64_t v17 = 65536;
  const int64_t v18 = 8192;
  const int64_t v19 = 16384;
  using T = float;

  #if defined(__DAV_CUBE__)
  int64_t v20 = get_block_idx();
  int64_t v21 = get_block_num();
  Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v22;
  uint64_t v23 = (uint64_t) v14;
  TASSIGN(v22, v23);
  Tile<TileType::Mat, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v24;
  uint64_t v25 = (uint64_t) v15;
  TASSIGN(v24, v25);
  Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v26;
  uint64_t v27 = (uint64_t) v16;
  TASSIGN(v26, v27);
  Tile<TileType::Mat, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v28;
  uint64_t v29 = (uint64_t) v17;
  TASSIGN(v28, v29);
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v30;
  uint64_t v31 = (uint64_t) v14;
  TASSIGN(v30, v31);
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v32;
  uint64_t v33 = (uint64_t) v18;
  TASSIGN(v32, v33);
  Tile<TileType::Right, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v34;
  uint64_t v35 = (uint64_t) v14;
  TASSIGN(v34, v35);
  Tile<TileType::Right, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v36;
  uint64_t v37 = (uint64_t) v19;
  TASSIGN(v36, v37);
  Tile<TileType::Acc, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v38;
  uint64_t v39 = (uint64_t) v14;
  TASSIGN(v38, v39);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  for (size_t v40 = (size_t) ((int32_t) (int64_t) v20); v40 < ((size_t) v4); v40 += (size_t) ((int32_t) (int64_t) v21)) {
    int32_t v41 = (int32_t) v40;
    int32_t v42 = (int32_t) ((uint32_t) (v41 / v8) * (uint32_t) v11);
    int32_t v43 = (int32_t) ((uint32_t) (v41 % v8) * (uint32_t) v10);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    for (size_t v44 = (size_t) v6; v44 < ((size_t) v9); v44 += (size_t) v8) {
      int32_t v45 = (int32_t) v44;
      int32_t v46 = (int32_t) ((uint32_t) v45 * (uint32_t) v10);
      int32_t v47 = (int32_t) ((uint32_t) ((int32_t) (uint32_t) v45 + (uint32_t) v7) * (uint32_t) v10);
      pto::Shape<1, 1, 1, 64, 128> v48 = pto::Shape<1, 1, 1, 64, 128>();
      pto::Stride<131072, 131072, 131072, 2048, 1> v49 = pto::Stride<131072, 131072, 131072, 2048, 1>();
      GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v50 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>(v2 + (v5 + (unsigned) v42 * (unsigned) v12 + (unsigned) v46 * (unsigned) v7), v48, v49);
      pto::Shape<1, 1, 1, 128, 128> v51 = pto::Shape<1, 1, 1, 128, 128>();
      pto::Stride<524288, 524288, 524288, 4096, 1> v52 = pto::Stride<524288, 524288, 524288, 4096, 1>();
      GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v53 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>(v3 + (v5 + (unsigned) v46 * (unsigned) v13 + (unsigned) v43 * (unsigned) v7), v51, v52);
      pto::Shape<1, 1, 1, 64, 128> v54 = pto::Shape<1, 1, 1, 64, 128>();
      pto::Stride<131072, 131072, 131072, 2048, 1> v55 = pto::Stride<131072, 131072, 131072, 2048, 1>();
      GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v56 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>(v2 + (v5 + (unsigned) v42 * (unsigned) v12 + (unsigned) v47 * (unsigned) v7), v54, v55);
      pto::Shape<1, 1, 1, 128, 128> v57 = pto::Shape<1, 1, 1, 128, 128>();
      pto::Stride<524288, 524288, 524288, 4096, 1> v58 = pto::Stride<524288, 524288, 524288, 4096, 1>();
      GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v59 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>(v3 + (v5 + (unsigned) v47 * (unsigned) v13 + (unsigned) v43 * (unsigned) v7), v57, v58);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
      TLOAD(v22, v50);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_MTE2) [redundant-pipe-mte2: flags at 94 and 101] */ // expect: removed [redundant-pipe-mte2]
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
      TLOAD(v24, v53);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
      TLOAD(v26, v56);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3); // expect: kept
      TLOAD(v28, v59);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID3); // expect: kept
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
      TEXTRACT(v30, v22, v6, v6);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
      TEXTRACT(v34, v24, v6, v6);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: flag at 127, rule m-accumulate-fractals] */ // expect: removed [redundant-pipe-m]
      if (v45 == v6) {
        TMATMUL(v38, v30, v34);
      } else {
        TMATMUL_ACC(v38, v38, v30, v34);
      };
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); // expect: kept
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
      TEXTRACT(v32, v22, v6, v11);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
      TEXTRACT(v36, v24, v11, v6);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: flag at 138, rule m-accumulate-fractals] */ // expect: removed [redundant-pipe-m]
      TMATMUL_ACC(v38, v38, v32, v36);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3); // expect: kept
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_MTE1) [redundant-pipe-mte1: flag at 142] */ // expect: removed [redundant-pipe-mte1]
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // expect: kept
      TEXTRACT(v30, v26, v6, v6);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID3); // expect: kept
      TEXTRACT(v34, v28, v6, v6);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: flag at 149, rule m-accumulate-fractals] */ // expect: removed [redundant-pipe-m]
      TMATMUL_ACC(v38, v38, v30, v34);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_MTE1) [redundant-pipe-mte1: flag at 108] */ // expect: removed [redundant-pipe-mte1]
      TEXTRACT(v32, v26, v6, v11);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
      TEXTRACT(v36, v28, v11, v6);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID3); // expect: kept
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3); // expect: kept
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID3); // expect: kept
      /* ptosync: removed pipe_barrier(PIPE_M) [redundant-pipe-m: flags at 77 and 113, rule m-accumulate-fractals] */ // expect: removed [redundant-pipe-m]
      TMATMUL_ACC(v38, v38, v32, v36);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
    };
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 64, 128> v60 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<262144, 262144, 262144, 4096, 1> v61 = pto::Stride<262144, 262144, 262144, 4096, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND> v62 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND>(v1 + (v5 + (unsigned) v42 * (unsigned) v13 + (unsigned) v43 * (unsigned) v7), v60, v61);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    /* ptosync: removed pipe_barrier(PIPE_FIX) [redundant-pipe-fix: nothing to order] */ // expect: removed [redundant-pipe-fix]
    TSTORE(v62, v38);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
