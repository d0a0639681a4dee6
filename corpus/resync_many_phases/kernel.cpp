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

// Buffers whose slots go round by different periods, used under conditions on the same counters: the outer loop has 48
// phases, the inner one 4 in each. All pipes wait for all between the steps.
extern "C" __global__ AICORE void resync_many_phases(__gm__ float* v1, __gm__ float* v2, int32_t v3) {
  const int64_t v4 = 0;
  const int64_t v5 = 1;
  const int64_t v6 = 12;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  for (int64_t v7 = v4; v7 < (int64_t) v3; v7 += v5) {
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9;
    uint64_t v10 = (uint64_t) (0 + (v7 % 3) * 8192);
    TASSIGN(v9, v10);
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v11 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v7 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
    pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
    TLOAD(v9, v11);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v12;
    uint64_t v13 = (uint64_t) (0 + (v7 % 3) * 8192);
    TASSIGN(v12, v13);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v14;
    uint64_t v15 = (uint64_t) (24576 + ((v7 / 2) % 4) * 8192);
    TASSIGN(v14, v15);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v16;
    uint64_t v17 = (uint64_t) (57344 + (((v7 + 8) / 4) % 4) * 8192);
    TASSIGN(v16, v17);
    pipe_barrier(PIPE_ALL); // expect: kept
    TADD(v16, v12, v14);
    if (v7 % 3 == 1) {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v18;
      uint64_t v19 = (uint64_t) (90112 + ((v7 + 1) % 4) * 8192);
      TASSIGN(v18, v19);
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v20 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v7 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
      pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
      TLOAD(v18, v20);
    } else {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
      uint64_t v22 = (uint64_t) (57344 + (((v7 + 8) / 4) % 4) * 8192);
      TASSIGN(v21, v22);
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
      uint64_t v24 = (uint64_t) (0 + (v7 % 3) * 8192);
      TASSIGN(v23, v24);
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v25;
      uint64_t v26 = (uint64_t) (90112 + ((v7 + 1) % 4) * 8192);
      TASSIGN(v25, v26);
      pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
      TADD(v25, v21, v23);
    }
    if ((v7 / 2) % 2 == 1) {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v27;
      uint64_t v28 = (uint64_t) (90112 + ((v7 + 1) % 4) * 8192);
      TASSIGN(v27, v28);
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v29;
      uint64_t v30 = (uint64_t) (57344 + (((v7 + 8) / 4) % 4) * 8192);
      TASSIGN(v29, v30);
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v31;
      uint64_t v32 = (uint64_t) (122880);
      TASSIGN(v31, v32);
      pipe_barrier(PIPE_ALL); // expect: kept
      TADD(v31, v27, v29);
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v33;
      uint64_t v34 = (uint64_t) (122880);
      TASSIGN(v33, v34);
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v35 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v7 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
      pipe_barrier(PIPE_ALL); // expect: kept
      TSTORE(v35, v33);
    }
    for (int64_t v8 = v4; v8 < v6; v8 += v5) {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v36;
      uint64_t v37 = (uint64_t) (122880);
      TASSIGN(v36, v37);
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v38 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v8 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
      pipe_barrier(PIPE_ALL); // expect: kept
      TLOAD(v36, v38);
      if (v8 > 0) {
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v39;
        uint64_t v40 = (uint64_t) (90112 + ((v8 + 1) % 4) * 8192);
        TASSIGN(v39, v40);
        GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v41 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v1 + (v8 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
        pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
        TLOAD(v39, v41);
      }
      if (v8 % 4 == 3) {
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v42;
        uint64_t v43 = (uint64_t) (122880);
        TASSIGN(v42, v43);
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v44;
        uint64_t v45 = (uint64_t) (90112 + ((v8 + 1) % 4) * 8192);
        TASSIGN(v44, v45);
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v46;
        uint64_t v47 = (uint64_t) (24576 + ((v8 / 2) % 4) * 8192);
        TASSIGN(v46, v47);
        pipe_barrier(PIPE_ALL); // expect: kept
        TADD(v46, v42, v44);
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v48;
        uint64_t v49 = (uint64_t) (24576 + ((v8 / 2) % 4) * 8192);
        TASSIGN(v48, v49);
        GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v50 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v8 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
        pipe_barrier(PIPE_ALL); // expect: kept
        TSTORE(v50, v48);
      } else {
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v51;
        uint64_t v52 = (uint64_t) (90112 + ((v8 + 1) % 4) * 8192);
        TASSIGN(v51, v52);
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v53;
        uint64_t v54 = (uint64_t) (122880);
        TASSIGN(v53, v54);
        Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v55;
        uint64_t v56 = (uint64_t) (122880);
        TASSIGN(v55, v56);
        pipe_barrier(PIPE_ALL); // expect: kept
        TADD(v55, v51, v53);
      }
    }
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v57;
    uint64_t v58 = (uint64_t) (24576 + ((v7 / 2) % 4) * 8192);
    TASSIGN(v57, v58);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v59;
    uint64_t v60 = (uint64_t) (90112 + ((v7 + 1) % 4) * 8192);
    TASSIGN(v59, v60);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v61;
    uint64_t v62 = (uint64_t) (122880);
    TASSIGN(v61, v62);
    pipe_barrier(PIPE_ALL); // expect: removed [redundant-pipe-all]
    TADD(v61, v57, v59);
    Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v63;
    uint64_t v64 = (uint64_t) (122880);
    TASSIGN(v63, v64);
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v65 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v7 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
    pipe_barrier(PIPE_ALL); // expect: kept
    TSTORE(v65, v63);
    if (v7 > 0) {
      Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v66;
      uint64_t v67 = (uint64_t) (57344 + (((v7 + 8) / 4) % 4) * 8192);
      TASSIGN(v66, v67);
      GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v68 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v2 + (v7 * 2048), pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());
      pipe_barrier(PIPE_ALL); // expect: kept
      TSTORE(v68, v66);
    }
  }
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll); // expect: kept protected
  return;
}
