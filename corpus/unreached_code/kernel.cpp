#include "pto/pto-inst.hpp"
using namespace pto;

using Rows = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using Part = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>;

static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_ALL); }

static AICORE void helper(bool last) {
  if (last) {
    pipe_barrier(PIPE_MTE2); // expect: kept
  }
  pipe_barrier(PIPE_MTE3); // expect: removed [redundant-pipe-mte3]
}

extern "C" __global__ AICORE void never_that_far(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    for (int32_t i = 0; i < 4; ++i) {
      if (i > 9) {
        pipe_barrier(PIPE_V); // expect: kept
      }
      TLOAD(c, Part(in));
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void not_both(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    if (n < 0) {
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // expect: kept
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void the_same_flag(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
    if (n < 0) {
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1); // expect: kept
    }
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); // expect: removed [redundant-flag]
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); // expect: removed [redundant-flag]
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void constant(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    if (sizeof(float) == 8) {
      pipe_barrier(PIPE_V); // expect: kept
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void of_a_helper(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    helper(false);
    helper(true);
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void behind_the_end(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
    ptoas_auto_sync_tail();
    return;
    pipe_barrier(PIPE_V); // expect: kept
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}
