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

// Synchronised by hand, for any length of K: the first iteration loads its own block, every one but the last the block of the
// next one, each into one half of L1 and of L0.
extern "C" __global__ AICORE void gemm_first_and_last(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, int32_t v4, int32_t v19) {
  const int64_t v5 = 0;
  const int64_t v6 = 1;
  const int64_t v7 = 2;
  const int64_t v8 = 4;
  const int64_t v9 = 0;
  const int64_t v10 = 16384;
  const int64_t v11 = 32768;
  const int64_t v12 = 65536;
  const int64_t v13 = 4096;
  const int64_t v14 = 8192;
  const int64_t v15 = 3;
  const int64_t v16 = 32;
  const int64_t v17 = 128;
  const int64_t v18 = 64;
  using T = float;

  #if defined(__DAV_CUBE__)
  int64_t v20 = get_block_idx();
  Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v9;
  TASSIGN(v21, v22);
  Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v10;
  TASSIGN(v23, v24);
  Tile<TileType::Mat, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v25;
  uint64_t v26 = (uint64_t) v11;
  TASSIGN(v25, v26);
  Tile<TileType::Mat, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v27;
  uint64_t v28 = (uint64_t) v12;
  TASSIGN(v27, v28);
  Tile<TileType::Left, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v9;
  TASSIGN(v29, v30);
  Tile<TileType::Left, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v10;
  TASSIGN(v31, v32);
  Tile<TileType::Right, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v9;
  TASSIGN(v33, v34);
  Tile<TileType::Right, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v35;
  uint64_t v36 = (uint64_t) v11;
  TASSIGN(v35, v36);
  Tile<TileType::Acc, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v37;
  uint64_t v38 = (uint64_t) v9;
  TASSIGN(v37, v38);
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  for (int64_t v39 = v5; v39 < (int64_t) v4; v39 += v6) {
    int64_t v40 = (int64_t) ((uint64_t) ((int64_t) (uint64_t) v20 + (uint64_t) v39) * (uint64_t) v18);
    int64_t v41 = (int64_t) ((uint64_t) v39 * (uint64_t) v17);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    for (int64_t v42 = v5; v42 < (int64_t) v19; v42 += v6) {
      bool v43 = (int64_t) ((uint64_t) v42 % (uint64_t) v7) == v5;
      int64_t v44 = (int64_t) ((uint64_t) v42 + (uint64_t) v6);
      int64_t v45 = (int64_t) ((uint64_t) v42 * (uint64_t) v17);
      int64_t v46 = (int64_t) ((uint64_t) v44 * (uint64_t) v17);
      if (v42 == v5) {
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
        pto::Shape<1, 1, 1, 64, 128> v47 = pto::Shape<1, 1, 1, 64, 128>();
        pto::Stride<131072, 131072, 131072, 2048, 1> v48 = pto::Stride<131072, 131072, 131072, 2048, 1>();
        GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v49 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>((__gm__ half*) v2 + (v5 + v40 * 2048 + v45), v47, v48);
        pto::Shape<1, 1, 1, 128, 128> v50 = pto::Shape<1, 1, 1, 128, 128>();
        pto::Stride<524288, 524288, 524288, 4096, 1> v51 = pto::Stride<524288, 524288, 524288, 4096, 1>();
        GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v52 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>((__gm__ half*) v3 + (v5 + v45 * 4096 + v41), v50, v51);
        TLOAD(v21, v49);
        TLOAD(v25, v52);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
      };
      if (v44 < (int64_t) v19) {
        if (v43) {
          wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
          pto::Shape<1, 1, 1, 64, 128> v53 = pto::Shape<1, 1, 1, 64, 128>();
          pto::Stride<131072, 131072, 131072, 2048, 1> v54 = pto::Stride<131072, 131072, 131072, 2048, 1>();
          GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v55 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>((__gm__ half*) v2 + (v5 + v40 * 2048 + v46), v53, v54);
          pto::Shape<1, 1, 1, 128, 128> v56 = pto::Shape<1, 1, 1, 128, 128>();
          pto::Stride<524288, 524288, 524288, 4096, 1> v57 = pto::Stride<524288, 524288, 524288, 4096, 1>();
          GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v58 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>((__gm__ half*) v3 + (v5 + v46 * 4096 + v41), v56, v57);
          TLOAD(v23, v55);
          TLOAD(v27, v58);
          set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
        } else {
          wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
          pto::Shape<1, 1, 1, 64, 128> v59 = pto::Shape<1, 1, 1, 64, 128>();
          pto::Stride<131072, 131072, 131072, 2048, 1> v60 = pto::Stride<131072, 131072, 131072, 2048, 1>();
          GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v61 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>((__gm__ half*) v2 + (v5 + v40 * 2048 + v46), v59, v60);
          pto::Shape<1, 1, 1, 128, 128> v62 = pto::Shape<1, 1, 1, 128, 128>();
          pto::Stride<524288, 524288, 524288, 4096, 1> v63 = pto::Stride<524288, 524288, 524288, 4096, 1>();
          GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v64 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>((__gm__ half*) v3 + (v5 + v46 * 4096 + v41), v62, v63);
          TLOAD(v21, v61);
          TLOAD(v25, v64);
          set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
        };
      };
      if (v43) {
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
        TEXTRACT(v29, v21, v5, v5);
        TEXTRACT(v33, v25, v5, v5);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
      } else {
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
        /* ptosync: removed pipe_barrier(PIPE_MTE1) [redundant-pipe-mte1: flag at 118] */ // expect: removed [redundant-pipe-mte1]
        TEXTRACT(v31, v23, v5, v5);
        TEXTRACT(v35, v27, v5, v5);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
      };
      if (v43) {
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
        if (v42 == v5) {
          TMATMUL(v37, v29, v33);
        } else {
          TMATMUL_ACC(v37, v37, v29, v33);
        };
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
      } else {
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
        TMATMUL_ACC(v37, v37, v31, v35);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
      };
    };
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 64, 128> v65 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<262144, 262144, 262144, 4096, 1> v66 = pto::Stride<262144, 262144, 262144, 4096, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND> v67 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND>((__gm__ float*) v1 + (v5 + v40 * 4096 + v41), v65, v66);
    TSTORE(v67, v37);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
