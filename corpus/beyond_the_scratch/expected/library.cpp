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

extern "C" __global__ AICORE void beyond_the_scratch(__gm__ float* v1, float v2) {
  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, int32_t, 4, 128, BLayout::RowMajor, 4, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d1;
  TASSIGN(d1, (uint64_t) 0);
  Tile<TileType::Vec, int32_t, 4, 128, BLayout::RowMajor, 4, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a1;
  TASSIGN(a1, (uint64_t) 6144);
  Tile<TileType::Vec, int32_t, 4, 128, BLayout::RowMajor, 4, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b1;
  TASSIGN(b1, (uint64_t) 12288);
  Tile<TileType::Vec, int32_t, 1, 136, BLayout::RowMajor, 1, 136, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t1;
  TASSIGN(t1, (uint64_t) 18432);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> near1;
  TASSIGN(near1, (uint64_t) 19328);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o1;
  TASSIGN(o1, (uint64_t) 23552);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d2;
  TASSIGN(d2, (uint64_t) 28160);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a2;
  TASSIGN(a2, (uint64_t) 32768);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b2;
  TASSIGN(b2, (uint64_t) 37376);
  Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t2;
  TASSIGN(t2, (uint64_t) 41984);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> near2;
  TASSIGN(near2, (uint64_t) 42112);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o2;
  TASSIGN(o2, (uint64_t) 46592);
  Tile<TileType::Vec, int8_t, 16, 64, BLayout::RowMajor, 16, 20, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d3;
  TASSIGN(d3, (uint64_t) 51200);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 20, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a3;
  TASSIGN(a3, (uint64_t) 56320);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b3;
  TASSIGN(b3, (uint64_t) 64512);
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 20, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t3;
  TASSIGN(t3, (uint64_t) 69120);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> near3;
  TASSIGN(near3, (uint64_t) 56448);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o3;
  TASSIGN(o3, (uint64_t) 77312);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d4;
  TASSIGN(d4, (uint64_t) 81920);
  Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 300, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a4;
  TASSIGN(a4, (uint64_t) 86528);
  Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t4;
  TASSIGN(t4, (uint64_t) 92672);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> near4;
  TASSIGN(near4, (uint64_t) 92928);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o4;
  TASSIGN(o4, (uint64_t) 97280);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d5;
  TASSIGN(d5, (uint64_t) 101888);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a5;
  TASSIGN(a5, (uint64_t) 108032);
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b5;
  TASSIGN(b5, (uint64_t) 114176);
  Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t5;
  TASSIGN(t5, (uint64_t) 118784);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> near5;
  TASSIGN(near5, (uint64_t) 119296);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o5;
  TASSIGN(o5, (uint64_t) 123392);
  // The mask of integers is filled as wide as a row, behind a row of the result: 1024 of 544 bytes.
  TREM(d1, a1, b1, t1);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o1, near1, v2);
  // Eight rows at a time are broadcast into the scratch: 256 of 32 bytes.
  TROWEXPANDMUL(d2, a2, b2, t2);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o2, near2, v2);
  // The source is read again as half as wide rows, which begin between its own.
  TQUANT<pto::QuantType::INT8_SYM>(d3, a3, b3, t3);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o3, near3, v2);
  // Half of the row goes through the scratch: 512 of 256 bytes.
  TROWSUM(d4, a4, t4);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept; library: removed [redundant-pipe-v]
  TADDS(o4, near4, v2);
  // Eight rows fill the scratch: nothing is near.
  TROWEXPANDMUL(d5, a5, b5, t5);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed [redundant-pipe-v]
  TADDS(o5, near5, v2);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
