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

extern "C" __global__ AICORE void few_places(__gm__ int32_t* v1, __gm__ uint8_t* v2) {
  const int64_t v3 = 0;
  const int64_t v4 = 12288;
  const int64_t v5 = 16384;
  const int64_t v6 = 65536;
  const int32_t v7 = 3;
  const int32_t v8 = 4096;
  const int32_t v9 = 64;
  const float v10 = 1.0f;
  using T = float;

  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  int32_t v11 = (v1)[v3];
  int32_t v12 = (v11 & v7) * v8;
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v13;
  uint64_t v14 = (uint64_t) v12;
  TASSIGN(v13, v14);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v15;
  uint64_t v16 = (uint64_t) v4;
  TASSIGN(v15, v16);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v17;
  uint64_t v18 = (uint64_t) v5;
  TASSIGN(v17, v18);
  TEXPANDS(v13, v10);
  pipe_barrier(PIPE_V); // expect: kept WAW
  TEXPANDS(v15, v10);
  pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
  TEXPANDS(v17, v10);
  uint8_t v19 = (v2)[v3];
  int32_t v20 = (int32_t) v19 * v9;
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v21;
  uint64_t v22 = (uint64_t) v20;
  TASSIGN(v21, v22);
  Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v23;
  uint64_t v24 = (uint64_t) v6;
  TASSIGN(v23, v24);
  pipe_barrier(PIPE_V); // expect: kept WAW
  TEXPANDS(v21, v10);
  pipe_barrier(PIPE_V); // expect: removed [redundant-pipe-v]
  TEXPANDS(v23, v10);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
