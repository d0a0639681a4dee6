#include "pto/pto-inst.hpp"
using namespace pto;

template <typename Tensor>
static AICORE inline auto PTOAS__GLOBAL_TENSOR_DATA(Tensor &tensor) -> decltype(tensor.data()) {
  return tensor.data();
}

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

AICORE void cube_kernel(__gm__ float* v1, __gm__ half* v2, __gm__ float* v3, __gm__ half* v4, __gm__ half* v5, __gm__ half* v6, int32_t v7) {
  unsigned v8 = 0;
  const int32_t v9 = 0;
  const int32_t v10 = 1;
  const int32_t v11 = 64;
  const int32_t v12 = 128;
  const int32_t v13 = 32768;
  const int32_t v14 = 16384;
  const int64_t v15 = 0;
  const int64_t v16 = 8192;
  const int64_t v17 = 24576;
  const int64_t v18 = 40960;
  const int64_t v19 = 16384;
  const int64_t v20 = 32768;
  using T = float;

  #if defined(__DAV_CUBE__)
  int64_t v21 = get_block_idx();
  int32_t v22 = (int32_t) ((int64_t) v21);
  int32_t v23 = (int32_t) ((uint32_t) v22 * (uint32_t) v13);
  __gm__ float* v24 = v1 + v23;
  auto v25 = TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>(v24, v9, v9);
  __gm__ half* v26 = v2 + v23;
  auto v27 = TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>(v26, v9, v9);
  int32_t v28 = (int32_t) ((uint32_t) v22 * (uint32_t) v14);
  __gm__ float* v29 = v3 + v28;
  auto v30 = TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>(v29, v9, v9);
  Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v31;
  uint64_t v32 = (uint64_t) v15;
  TASSIGN(v31, v32);
  Tile<TileType::Mat, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v33;
  uint64_t v34 = (uint64_t) v16;
  TASSIGN(v33, v34);
  Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v35;
  uint64_t v36 = (uint64_t) v17;
  TASSIGN(v35, v36);
  Tile<TileType::Mat, half, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v37;
  uint64_t v38 = (uint64_t) v18;
  TASSIGN(v37, v38);
  Tile<TileType::Left, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v39;
  uint64_t v40 = (uint64_t) v15;
  TASSIGN(v39, v40);
  Tile<TileType::Right, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v41;
  uint64_t v42 = (uint64_t) v15;
  TASSIGN(v41, v42);
  Tile<TileType::Left, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null> v43;
  uint64_t v44 = (uint64_t) v16;
  TASSIGN(v43, v44);
  Tile<TileType::Right, half, 128, 64, BLayout::RowMajor, 128, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null> v45;
  uint64_t v46 = (uint64_t) v19;
  TASSIGN(v45, v46);
  Tile<TileType::Acc, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v47;
  uint64_t v48 = (uint64_t) v15;
  TASSIGN(v47, v48);
  Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null> v49;
  uint64_t v50 = (uint64_t) v20;
  TASSIGN(v49, v50);
  pto::Shape<1, 1, 1, 64, 64> v51 = pto::Shape<1, 1, 1, 64, 64>();
  pto::Stride<4096, 4096, 4096, 64, 1> v52 = pto::Stride<4096, 4096, 4096, 64, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v53 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v4 + (v8 + (unsigned) ((int32_t) (uint32_t) v22 * (uint32_t) v11) * (unsigned) v11 + v8 * (unsigned) v10), v51, v52);
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v54(nullptr);
  GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v55(nullptr);
  GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v56(nullptr);
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID1); // expect: kept
  TLOAD(v31, v53);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); // expect: kept
  TMOV(v39, v31);
  for (size_t v57 = (size_t) v9; v57 < ((size_t) v7); v57 += (size_t) v10) {
    int32_t v58 = (int32_t) ((uint32_t) ((int32_t) v57) * (uint32_t) v12);
    TALLOC<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v25, v54);
    pto::Shape<1, 1, 1, 64, 128> v59 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<64, 64, 64, 1, 64> v60 = pto::Stride<64, 64, 64, 1, 64>();
    GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<64, 64, 64, 1, 64>, pto::Layout::DN> v61 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<64, 64, 64, 1, 64>, pto::Layout::DN>(v5 + (v8 + v8 * (unsigned) v10 + (unsigned) v58 * (unsigned) v11), v59, v60);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v33, v61);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); // expect: kept
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
    TMOV(v41, v33);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); // expect: kept
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    TMATMUL(v47, v39, v41);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    __gm__ float* v62 = PTOAS__GLOBAL_TENSOR_DATA(v54);
    pto::Shape<1, 1, 1, 64, 128> v63 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v64 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v65 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v62, v63, v64);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0); // expect: kept
    TSTORE(v65, v47);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
    TPUSH<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v25, v54);
    TPOP<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v27, v55);
    __gm__ half* v66 = PTOAS__GLOBAL_TENSOR_DATA(v55);
    pto::Shape<1, 1, 1, 64, 128> v67 = pto::Shape<1, 1, 1, 64, 128>();
    pto::Stride<8192, 8192, 8192, 128, 1> v68 = pto::Stride<8192, 8192, 8192, 128, 1>();
    GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND> v69 = GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>(v66, v67, v68);
    pto::Shape<1, 1, 1, 128, 64> v70 = pto::Shape<1, 1, 1, 128, 64>();
    pto::Stride<8192, 8192, 8192, 64, 1> v71 = pto::Stride<8192, 8192, 8192, 64, 1>();
    GlobalTensor<half, pto::Shape<1, 1, 1, 128, 64>, pto::Stride<8192, 8192, 8192, 64, 1>, pto::Layout::ND> v72 = GlobalTensor<half, pto::Shape<1, 1, 1, 128, 64>, pto::Stride<8192, 8192, 8192, 64, 1>, pto::Layout::ND>(v6 + (v8 + (unsigned) v58 * (unsigned) v11 + v8 * (unsigned) v10), v70, v71);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
    TLOAD(v35, v69);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
    TLOAD(v37, v72);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
    TFREE<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 64, 128>, pto::Stride<8192, 8192, 8192, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v27, v55);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1); // expect: kept
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
    TMOV(v43, v35);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
    TMOV(v45, v37);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1); // expect: kept
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1); // expect: kept
    TMATMUL(v49, v43, v45);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
    TALLOC<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v30, v56);
    __gm__ float* v73 = PTOAS__GLOBAL_TENSOR_DATA(v56);
    pto::Shape<1, 1, 1, 64, 64> v74 = pto::Shape<1, 1, 1, 64, 64>();
    pto::Stride<4096, 4096, 4096, 64, 1> v75 = pto::Stride<4096, 4096, 4096, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND> v76 = GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>(v73, v74, v75);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID1); // expect: kept
    TSTORE(v76, v49);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1); // expect: kept
    TPUSH<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<4096, 4096, 4096, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v30, v56);
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // expect: kept
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); // expect: kept
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); // expect: kept
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1); // expect: kept
  #endif // __DAV_CUBE__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

AICORE void vector_kernel(__gm__ float* v1, __gm__ half* v2, __gm__ float* v3, __gm__ float* v4, __gm__ float* v5, __gm__ float* v6, __gm__ float* v7, int32_t v8) {
  SaturationMode v9 = SaturationMode::OFF;
  RoundMode v10 = RoundMode::CAST_RINT;
  unsigned v11 = 0;
  unsigned v12 = 2048;
  unsigned v13 = 1024;
  const int32_t v14 = 0;
  const int32_t v15 = 1;
  const int32_t v16 = 16;
  const int32_t v17 = 32;
  const int32_t v18 = 64;
  const int32_t v19 = 32768;
  const int32_t v20 = 16384;
  const float v21 = 0.125f;
  const int64_t v22 = 0;
  const int64_t v23 = 8192;
  const int64_t v24 = 16384;
  const int64_t v25 = 24576;
  const int64_t v26 = 28672;
  const int64_t v27 = 32768;
  const int64_t v28 = 36864;
  const int64_t v29 = 40960;
  const int64_t v30 = 45056;
  const int64_t v31 = 45120;
  const int64_t v32 = 45184;
  const int64_t v33 = 45248;
  const int64_t v34 = 45312;
  const int64_t v35 = 45376;
  const int64_t v36 = 45440;
  const int64_t v37 = 45504;
  const int64_t v38 = 45568;
  const int64_t v39 = 45632;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  int64_t v40 = get_block_idx();
  int32_t v41 = (int32_t) ((int64_t) v40);
  int64_t v42 = get_subblockid();
  int32_t v43 = (int32_t) ((uint32_t) ((int32_t) (uint32_t) v41 * (uint32_t) v17) + (uint32_t) ((int32_t) (uint32_t) ((int32_t) (int64_t) v42) * (uint32_t) v16));
  int32_t v44 = (int32_t) ((uint32_t) v41 * (uint32_t) v19);
  __gm__ float* v45 = v1 + v44;
  auto v46 = TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>(v45, v14, v14);
  __gm__ half* v47 = v2 + v44;
  auto v48 = TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>(v47, v14, v14);
  int32_t v49 = (int32_t) ((uint32_t) v41 * (uint32_t) v20);
  __gm__ float* v50 = v3 + v49;
  auto v51 = TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>(v50, v14, v14);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v52;
  uint64_t v53 = (uint64_t) v22;
  TASSIGN(v52, v53);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v54;
  uint64_t v55 = (uint64_t) v23;
  TASSIGN(v54, v55);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v56;
  uint64_t v57 = (uint64_t) v24;
  TASSIGN(v56, v57);
  Tile<TileType::Vec, half, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v58;
  uint64_t v59 = (uint64_t) v25;
  TASSIGN(v58, v59);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v60;
  uint64_t v61 = (uint64_t) v26;
  TASSIGN(v60, v61);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v62;
  uint64_t v63 = (uint64_t) v27;
  TASSIGN(v62, v63);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v64;
  uint64_t v65 = (uint64_t) v28;
  TASSIGN(v64, v65);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v66;
  uint64_t v67 = (uint64_t) v29;
  TASSIGN(v66, v67);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v68;
  uint64_t v69 = (uint64_t) v30;
  TASSIGN(v68, v69);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v70;
  uint64_t v71 = (uint64_t) v31;
  TASSIGN(v70, v71);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v72;
  uint64_t v73 = (uint64_t) v32;
  TASSIGN(v72, v73);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v74;
  uint64_t v75 = (uint64_t) v33;
  TASSIGN(v74, v75);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v76;
  uint64_t v77 = (uint64_t) v34;
  TASSIGN(v76, v77);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v78;
  uint64_t v79 = (uint64_t) v35;
  TASSIGN(v78, v79);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v80;
  uint64_t v81 = (uint64_t) v36;
  TASSIGN(v80, v81);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v82;
  uint64_t v83 = (uint64_t) v37;
  TASSIGN(v82, v83);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v84;
  uint64_t v85 = (uint64_t) v38;
  TASSIGN(v84, v85);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v86;
  uint64_t v87 = (uint64_t) v39;
  TASSIGN(v86, v87);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v88;
  TRESHAPE(v88, v68);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v89;
  TRESHAPE(v89, v70);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v90;
  TRESHAPE(v90, v72);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v91;
  TRESHAPE(v91, v74);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v92;
  TRESHAPE(v92, v76);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v93;
  TRESHAPE(v93, v78);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v94;
  TRESHAPE(v94, v80);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v95;
  TRESHAPE(v95, v82);
  pto::Shape<1, 1, 1, 16, 1> v96 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v97 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v98 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v4 + (v11 + v11 * (unsigned) v15 + v11 * (unsigned) v16), v96, v97);
  pto::Shape<1, 1, 1, 16, 1> v99 = pto::Shape<1, 1, 1, 16, 1>();
  pto::Stride<16, 16, 16, 1, 16> v100 = pto::Stride<16, 16, 16, 1, 16>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN> v101 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 1>, pto::Stride<16, 16, 16, 1, 16>, pto::Layout::DN>(v4 + (v11 + (unsigned) v16 * (unsigned) v15 + v11 * (unsigned) v16), v99, v100);
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v102(nullptr);
  GlobalTensor<half, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND> v103(nullptr);
  GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND> v104(nullptr);
  TLOAD(v84, v98);
  TLOAD(v86, v101);
  TPOP<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v46, v102);
  __gm__ float* v105 = PTOAS__GLOBAL_TENSOR_DATA(v102);
  pto::Shape<1, 1, 1, 16, 128> v106 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v107 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v108 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v105, v106, v107);
  __gm__ float* v109 = PTOAS__GLOBAL_TENSOR_DATA(v102);
  pto::Shape<1, 1, 1, 16, 128> v110 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v111 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v112 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v109 + v12, v110, v111);
  TLOAD(v52, v108);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TLOAD(v54, v112);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TFREE<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v46, v102);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
  TMULS(v52, v52, v21);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 321, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TROWMAX(v68, v52, v56);
  pipe_barrier(PIPE_V); // expect: kept RAW; library: removed
  TROWEXPANDSUB(v52, v52, v68);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 329, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TEXP(v52, v52);
  /* ptosync: removed pipe_barrier(PIPE_V) [softmax-exp-sum: barrier at 329, rule same-access-chain] */ // expect: removed [softmax-exp-sum]
  TROWSUM(v72, v52, v56);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
  TMULS(v54, v54, v21);
  pipe_barrier(PIPE_V); // expect: kept; library: removed
  TROWMAX(v70, v54, v56);
  pipe_barrier(PIPE_V); // expect: kept RAW; library: removed
  TROWEXPANDSUB(v54, v54, v70);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 348, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
  TEXP(v54, v54);
  /* ptosync: removed pipe_barrier(PIPE_V) [softmax-exp-sum: flag at 348, rule same-access-chain] */ // expect: removed [softmax-exp-sum]
  TROWSUM(v74, v54, v56);
  TALLOC<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v48, v103);
  TCVT(v58, v52, v10, v9);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  __gm__ half* v113 = PTOAS__GLOBAL_TENSOR_DATA(v103);
  pto::Shape<1, 1, 1, 16, 128> v114 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v115 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v116 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v113, v114, v115);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v116, v58);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
  TCVT(v58, v54, v10, v9);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  __gm__ half* v117 = PTOAS__GLOBAL_TENSOR_DATA(v103);
  pto::Shape<1, 1, 1, 16, 128> v118 = pto::Shape<1, 1, 1, 16, 128>();
  pto::Stride<2048, 2048, 2048, 128, 1> v119 = pto::Stride<2048, 2048, 2048, 128, 1>();
  GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v120 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v117 + v12, v118, v119);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v120, v58);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
  TPUSH<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v48, v103);
  TPOP<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v51, v104);
  __gm__ float* v121 = PTOAS__GLOBAL_TENSOR_DATA(v104);
  pto::Shape<1, 1, 1, 16, 64> v122 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v123 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v124 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v121, v122, v123);
  __gm__ float* v125 = PTOAS__GLOBAL_TENSOR_DATA(v104);
  pto::Shape<1, 1, 1, 16, 64> v126 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v127 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v128 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v125 + v13, v126, v127);
  TLOAD(v60, v124);
  TLOAD(v62, v128);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  TFREE<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v51, v104);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  for (size_t v129 = (size_t) v15; v129 < ((size_t) v8); v129 += (size_t) v15) {
    TPOP<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v46, v102);
    __gm__ float* v130 = PTOAS__GLOBAL_TENSOR_DATA(v102);
    pto::Shape<1, 1, 1, 16, 128> v131 = pto::Shape<1, 1, 1, 16, 128>();
    pto::Stride<2048, 2048, 2048, 128, 1> v132 = pto::Stride<2048, 2048, 2048, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v133 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v130, v131, v132);
    __gm__ float* v134 = PTOAS__GLOBAL_TENSOR_DATA(v102);
    pto::Shape<1, 1, 1, 16, 128> v135 = pto::Shape<1, 1, 1, 16, 128>();
    pto::Stride<2048, 2048, 2048, 128, 1> v136 = pto::Stride<2048, 2048, 2048, 128, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v137 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v134 + v12, v135, v136);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    TLOAD(v52, v133);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
    TLOAD(v54, v137);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
    TFREE<TPipe<0, Direction::DIR_C2V, 32768, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v46, v102);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept
    TMULS(v52, v52, v21);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 396, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TROWMAX(v76, v52, v56);
    pipe_barrier(PIPE_V); // expect: kept RAW; library: removed
    TMAX(v92, v92, v88);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TSUB(v94, v88, v92);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TEXP(v94, v94);
    TMOV(v88, v92);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMUL(v90, v90, v94);
    TROWEXPANDSUB(v52, v52, v76);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 410, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TEXP(v52, v52);
    /* ptosync: removed pipe_barrier(PIPE_V) [softmax-exp-sum: barrier at 410, rule same-access-chain] */ // expect: removed [softmax-exp-sum]
    TROWSUM(v78, v52, v56);
    pipe_barrier(PIPE_V); // expect: kept RAW; library: removed [softmax-sum-add]
    TADD(v90, v90, v93);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // expect: kept
    TMULS(v54, v54, v21);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 416, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TROWMAX(v76, v54, v56);
    pipe_barrier(PIPE_V); // expect: kept RAW; library: removed
    TMAX(v92, v92, v89);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TSUB(v95, v89, v92);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TEXP(v95, v95);
    TMOV(v89, v92);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TMUL(v91, v91, v95);
    TROWEXPANDSUB(v54, v54, v76);
    /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: barrier at 430, rule same-access-chain] */ // expect: removed [redundant-pipe-v]
    TEXP(v54, v54);
    /* ptosync: removed pipe_barrier(PIPE_V) [softmax-exp-sum: barrier at 430, rule same-access-chain] */ // expect: removed [softmax-exp-sum]
    TROWSUM(v78, v54, v56);
    pipe_barrier(PIPE_V); // expect: kept RAW; library: removed [softmax-sum-add]
    TADD(v91, v91, v93);
    TALLOC<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v48, v103);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    TCVT(v58, v52, v10, v9);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    __gm__ half* v138 = PTOAS__GLOBAL_TENSOR_DATA(v103);
    pto::Shape<1, 1, 1, 16, 128> v139 = pto::Shape<1, 1, 1, 16, 128>();
    pto::Stride<2048, 2048, 2048, 128, 1> v140 = pto::Stride<2048, 2048, 2048, 128, 1>();
    GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v141 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v138, v139, v140);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v141, v58);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1); // expect: kept
    TCVT(v58, v54, v10, v9);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    __gm__ half* v142 = PTOAS__GLOBAL_TENSOR_DATA(v103);
    pto::Shape<1, 1, 1, 16, 128> v143 = pto::Shape<1, 1, 1, 16, 128>();
    pto::Stride<2048, 2048, 2048, 128, 1> v144 = pto::Stride<2048, 2048, 2048, 128, 1>();
    GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND> v145 = GlobalTensor<half, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>(v142 + v12, v143, v144);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
    TSTORE(v145, v58);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // expect: kept
    TPUSH<TPipe<2, Direction::DIR_V2C, 16384, 4, 4, false>, GlobalTensor<half, pto::Shape<1, 1, 1, 32, 128>, pto::Stride<4096, 4096, 4096, 128, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v48, v103);
    TPOP<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v51, v104);
    __gm__ float* v146 = PTOAS__GLOBAL_TENSOR_DATA(v104);
    pto::Shape<1, 1, 1, 16, 64> v147 = pto::Shape<1, 1, 1, 16, 64>();
    pto::Stride<1024, 1024, 1024, 64, 1> v148 = pto::Stride<1024, 1024, 1024, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v149 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v146, v147, v148);
    __gm__ float* v150 = PTOAS__GLOBAL_TENSOR_DATA(v104);
    pto::Shape<1, 1, 1, 16, 64> v151 = pto::Shape<1, 1, 1, 16, 64>();
    pto::Stride<1024, 1024, 1024, 64, 1> v152 = pto::Stride<1024, 1024, 1024, 64, 1>();
    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v153 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v150 + v13, v151, v152);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
    TLOAD(v64, v149);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
    TLOAD(v66, v153);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // expect: kept
    TFREE<TPipe<4, Direction::DIR_C2V, 16384, 4, 4, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(v51, v104);
    TROWEXPANDMUL(v60, v60, v80);
    /* ptosync: removed pipe_barrier(PIPE_V) [gu: syncs at 396 and 494, rule same-access-chain] */ // expect: removed [gu]
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
    TADD(v60, v60, v64);
    TROWEXPANDMUL(v62, v62, v82);
    /* ptosync: removed pipe_barrier(PIPE_V) [gu: syncs at 396 and 494, rule same-access-chain] */ // expect: removed [gu]
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // expect: kept
    TADD(v62, v62, v66);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); // expect: kept
  /* ptosync: moved to line 504: wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0) [sink-wait] */ // expect: moved to set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0 [sink-wait]
  pto::Shape<1, 1, 1, 16, 64> v154 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v155 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v156 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v5 + (v11 + v11 * (unsigned) v18 + v11 * (unsigned) v15), v154, v155);
  pto::Shape<1, 1, 1, 16, 64> v157 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v158 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v159 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v5 + (v11 + (unsigned) v16 * (unsigned) v18 + v11 * (unsigned) v15), v157, v158);
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); // expect: kept
  TLOAD(v64, v156);
  TLOAD(v66, v159);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2); // expect: kept; library: moved to TADD(v60 [sink-wait]
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TROWEXPANDMUL(v60, v60, v84);
  /* ptosync: removed pipe_barrier(PIPE_V) [gu: rule same-access-chain] */ // expect: removed [gu]
  TADD(v60, v60, v64);
  TROWEXPANDMUL(v62, v62, v86);
  /* ptosync: removed pipe_barrier(PIPE_V) [gu: rule same-access-chain] */ // expect: removed [gu]
  TADD(v62, v62, v66);
  /* ptosync: removed pipe_barrier(PIPE_V) [final-div: rule same-access-chain] */ // expect: removed [final-div]
  TROWEXPANDDIV(v60, v60, v72);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // ptosync: moved from line 483 [sink-wait]
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TROWEXPANDDIV(v62, v62, v74);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); // expect: kept
  pto::Shape<1, 1, 1, 16, 64> v160 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v161 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v162 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v6 + (v11 + (unsigned) v43 * (unsigned) v18 + v11 * (unsigned) v15), v160, v161);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept
  TSTORE(v162, v60);
  pto::Shape<1, 1, 1, 16, 64> v163 = pto::Shape<1, 1, 1, 16, 64>();
  pto::Stride<1024, 1024, 1024, 64, 1> v164 = pto::Stride<1024, 1024, 1024, 64, 1>();
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> v165 = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND>(v7 + (v11 + (unsigned) v43 * (unsigned) v18 + v11 * (unsigned) v15), v163, v164);
  /* ptosync: removed pipe_barrier(PIPE_MTE3) [redundant-pipe-mte3: nothing to order] */ // expect: removed [redundant-pipe-mte3]
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); // expect: kept
  TSTORE(v165, v62);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}

extern "C" __global__ AICORE void call_both(__gm__ int64_t* v1, __gm__ float* v2, __gm__ half* v3, __gm__ float* v4, __gm__ half* v5, __gm__ half* v6, __gm__ half* v7, __gm__ float* v8, __gm__ float* v9, __gm__ float* v10, __gm__ float* v11, int32_t v12) {
  using T = float;
  uint64_t v13 = (uint64_t) v1;
  set_ffts_base_addr(v13);
  cube_kernel(v2, v3, v4, v5, v6, v7, v12);
  vector_kernel(v2, v3, v4, v8, v9, v10, v11, v12);
  return;
}
