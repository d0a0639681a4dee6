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

extern "C" __global__ AICORE void beyond_the_region(__gm__ float* v1, float v2, half v3) {
  #if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> narrow;
  TASSIGN(narrow, (uint64_t) 0);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> inTheRun;
  TASSIGN(inTheRun, (uint64_t) 128);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o1;
  TASSIGN(o1, (uint64_t) 4096);
  Tile<TileType::Vec, uint8_t, 8, 64, BLayout::RowMajor, 8, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> bits;
  TASSIGN(bits, (uint64_t) 8192);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c0;
  TASSIGN(c0, (uint64_t) 12288);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> c1;
  TASSIGN(c1, (uint64_t) 16384);
  Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> besideBits;
  TASSIGN(besideBits, (uint64_t) 8224);
  Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o2;
  TASSIGN(o2, (uint64_t) 10240);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 96, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> s3;
  TASSIGN(s3, (uint64_t) 20480);
  Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t3;
  TASSIGN(t3, (uint64_t) 28672);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d3;
  TASSIGN(d3, (uint64_t) 29184);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d3row;
  TASSIGN(d3row, (uint64_t) 29184);
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o3;
  TASSIGN(o3, (uint64_t) 29696);
  Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> s4;
  TASSIGN(s4, (uint64_t) 32768);
  Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t4;
  TASSIGN(t4, (uint64_t) 40960);
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d4;
  TASSIGN(d4, (uint64_t) 43008);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> behind4;
  TASSIGN(behind4, (uint64_t) 41472);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o4;
  TASSIGN(o4, (uint64_t) 43520);
  Tile<TileType::Vec, float, 4, 32, BLayout::RowMajor, 4, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d5;
  TASSIGN(d5, (uint64_t) 45056);
  Tile<TileType::Vec, float, 4, 32, BLayout::RowMajor, 4, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a5;
  TASSIGN(a5, (uint64_t) 46080);
  Tile<TileType::Vec, float, 4, 32, BLayout::RowMajor, 4, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b5;
  TASSIGN(b5, (uint64_t) 47104);
  Tile<TileType::Vec, float, 1, 40, BLayout::RowMajor, 1, 40, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t5;
  TASSIGN(t5, (uint64_t) 48128);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> behind5;
  TASSIGN(behind5, (uint64_t) 48384);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o5;
  TASSIGN(o5, (uint64_t) 49152);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d6;
  TASSIGN(d6, (uint64_t) 53248);
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> s6;
  TASSIGN(s6, (uint64_t) 55296);
  Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> i6;
  TASSIGN(i6, (uint64_t) 56320);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> gap6;
  TASSIGN(gap6, (uint64_t) 53376);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o6;
  TASSIGN(o6, (uint64_t) 57344);
  Tile<TileType::Vec, float, 4, 96, BLayout::RowMajor, 4, 72, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d7;
  TASSIGN(d7, (uint64_t) 61440);
  Tile<TileType::Vec, float, 4, 96, BLayout::RowMajor, 4, 96, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> s7;
  TASSIGN(s7, (uint64_t) 65536);
  Tile<TileType::Vec, uint32_t, 4, 16, BLayout::RowMajor, 4, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> i7;
  TASSIGN(i7, (uint64_t) 69632);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> behind7;
  TASSIGN(behind7, (uint64_t) 62976);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o7;
  TASSIGN(o7, (uint64_t) 70656);
  Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> s8;
  TASSIGN(s8, (uint64_t) 73728);
  Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t8;
  TASSIGN(t8, (uint64_t) 106496);
  Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> d8;
  TASSIGN(d8, (uint64_t) 108800);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> behind8;
  TASSIGN(behind8, (uint64_t) 108544);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o8;
  TASSIGN(o8, (uint64_t) 109568);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> free;
  TASSIGN(free, (uint64_t) 112640);
  Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> o9;
  TASSIGN(o9, (uint64_t) 113664);
  // A run of 8 x 16 elements from the start: all of the first two rows.
  TEXPANDS(narrow, v2);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o1, inTheRun, v2);
  // NE turns the bits of whole rows.
  TCMP(bits, c0, c1, CmpMode::NE);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o2, besideBits, v3);
  // Between one and two repeats a row and short rows of scratch: the call returns at once, without its barrier.
  TROWSUM(d3, s3, t3);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o3, d3row, v2);
  // Every row takes 256 bytes of scratch, 32 bytes apart: 736 of 512 bytes.
  TROWMAX(d4, s4, t4);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: kept; library: removed [redundant-pipe-v]
  TADDS(o4, behind4, v2);
  // The mask takes 256 bytes of scratch behind a row of the result.
  TREM(d5, a5, b5, t5);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o5, behind5, v2);
  // All of the tile is cleared before anything is scattered.
  TSCATTER(d6, s6, i6);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o6, gap6, v2);
  // The end of each row is a whole repeat, the last one beyond the tile.
  TGATHERB(d7, s7, i7);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o7, behind7, v2);
  // A row of more than one square of a repeat reaches behind its scratch.
  TROWARGMAX(d8, s8, t8);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(o8, behind8, v2);
  // Nothing is near.
  TEXPANDS(narrow, v2);
  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */ // expect: removed
  TADDS(o9, free, v2);
  #endif // __DAV_VEC__

  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
  return;
}
