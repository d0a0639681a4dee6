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

// One flag for each pair of pipes, waited for in every iteration: double buffers that nobody overlaps.
extern "C" __global__ AICORE void resync_gemm(__gm__ float* v1, __gm__ half* v2, __gm__ half* v3, int32_t v4) {
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
  const int64_t v16 = 32;
  const int64_t v17 = 128;
  const int64_t v18 = 64;
  const int64_t v19 = 64;
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
  Tile<TileType::Left, half, 64, 32, BLayout::RowMajor, 64, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v29;
  uint64_t v30 = (uint64_t) v9;
  TASSIGN(v29, v30);
  Tile<TileType::Left, half, 64, 32, BLayout::RowMajor, 64, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v13;
  TASSIGN(v31, v32);
  Tile<TileType::Right, half, 32, 128, BLayout::RowMajor, 32, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v9;
  TASSIGN(v33, v34);
  Tile<TileType::Right, half, 32, 128, BLayout::RowMajor, 32, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v35;
  uint64_t v36 = (uint64_t) v14;
  TASSIGN(v35, v36);
  Tile<TileType::Acc, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v37;
  uint64_t v38 = (uint64_t) v9;
  TASSIGN(v37, v38);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  /* ptosync: removed set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0) [resync: placed anew] */ // expect: kept
  /* ptosync: removed set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // ptosync: orders the read of v29 (line 132) before the write at line 111
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // ptosync: orders the read of v21 (line 111) before the write at line 94
  for (int64_t v39 = v5; v39 < (int64_t) v4; v39 += v6) {
    int64_t v40 = (int64_t) ((uint64_t) ((int64_t) (uint64_t) v20 + (uint64_t) v39) * (uint64_t) v18);
    int64_t v41 = (int64_t) ((uint64_t) v39 * (uint64_t) v17);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    for (int64_t v42 = v5; v42 < v19; v42 += v6) {
      int64_t v43 = (int64_t) ((uint64_t) v42 % (uint64_t) v8);
      int64_t v44 = (int64_t) ((uint64_t) v42 / (uint64_t) v8);
      bool v45 = (int64_t) ((uint64_t) v44 % (uint64_t) v7) == v5;
      bool v46 = (int64_t) ((uint64_t) v42 % (uint64_t) v7) == v5;
      int64_t v47 = (int64_t) ((uint64_t) v44 * (uint64_t) v17);
      int64_t v48 = (int64_t) ((uint64_t) v43 * (uint64_t) v16);
      /* ptosync: removed wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0) [resync: placed anew] */ // expect: moved to set_flag [sink-wait]
      if (v43 == v5) {
        pto::Shape<1, 1, 1, 64, 128> v49 = pto::Shape<1, 1, 1, 64, 128>();
        pto::Stride<131072, 131072, 131072, 2048, 1> v50 = pto::Stride<131072, 131072, 131072, 2048, 1>();
        GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND> v51 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<131072, 131072, 131072, 2048, 1>, pto::Layout::ND>((__gm__ half*) v2 + (v5 + v40 * 2048 + v47), v49, v50);
        pto::Shape<1, 1, 1, 128, 128> v52 = pto::Shape<1, 1, 1, 128, 128>();
        pto::Stride<524288, 524288, 524288, 4096, 1> v53 = pto::Stride<524288, 524288, 524288, 4096, 1>();
        GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND> v54 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<524288, 524288, 524288, 4096, 1>, pto::Layout::ND>((__gm__ half*) v3 + (v5 + v47 * 4096 + v41), v52, v53);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // ptosync: orders the read of v21 (line 111) before the write at line 94
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // ptosync: orders the read of v21 (line 111) before the write at line 94
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // ptosync: orders the read of v21 (line 111) before the write at line 94
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // ptosync: orders the read of v21 (line 111) before the write at line 94
        if (v45) {
          TLOAD(v21, v51);
          TLOAD(v25, v54);
          set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // ptosync: orders the write of v25 (line 95) before the read at line 112
          wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // ptosync: orders the write of v25 (line 95) before the read at line 112
        } else {
          TLOAD(v23, v51);
          TLOAD(v27, v54);
          set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // ptosync: orders the write of v27 (line 100) before the read at line 115
          wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // ptosync: orders the write of v27 (line 100) before the read at line 115
        };
      };
      /* ptosync: removed set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: kept
      /* ptosync: removed wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: kept
      /* ptosync: removed wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: moved to set_flag [sink-wait]
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // ptosync: orders the read of v29 (line 132) before the write at line 111
      if (v46) {
        if (v45) {
          TEXTRACT(v29, v21, v5, v48);
          TEXTRACT(v33, v25, v48, v5);
        } else {
          TEXTRACT(v29, v23, v5, v48);
          TEXTRACT(v33, v27, v48, v5);
        };
      } else {
        if (v45) {
          TEXTRACT(v31, v21, v5, v48);
          TEXTRACT(v35, v25, v48, v5);
        } else {
          TEXTRACT(v31, v23, v5, v48);
          TEXTRACT(v35, v27, v48, v5);
        };
      };
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
      /* ptosync: removed set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0) [resync: placed anew] */ // expect: moved to if (v46) [raise-set]
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // ptosync: orders the read of v29 (line 132) before the write at line 111
      if (v46) {
        if (v42 == v5) {
          TMATMUL(v37, v29, v33);
        } else {
          /* ptosync: removed pipe_barrier(PIPE_M) [resync: placed anew] */ // expect: removed [redundant-pipe-m]
          TMATMUL_ACC(v37, v37, v29, v33);
        };
      } else {
        /* ptosync: removed pipe_barrier(PIPE_M) [resync: placed anew] */ // expect: removed [redundant-pipe-m]
        TMATMUL_ACC(v37, v37, v31, v35);
      };
      /* ptosync: removed set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: kept
    };
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    pto::Shape<1, 1, 1, 64, 128> v55 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<262144, 262144, 262144, 4096, 1> v56 = pto::Stride<262144, 262144, 262144, 4096, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND> v57 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<262144, 262144, 262144, 4096, 1>, pto::Layout::ND>((__gm__ float*) v1 + (v5 + v40 * 4096 + v41), v55, v56);
    TSTORE(v57, v37);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  }
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // ptosync: orders the read of v29 (line 132) before the write at line 111
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // ptosync: orders the read of v21 (line 111) before the write at line 94
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  /* ptosync: removed wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0) [resync: placed anew] */ // expect: kept
  /* ptosync: removed wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0) [resync: placed anew] */ // expect: kept
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
