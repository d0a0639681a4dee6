#include "pto/pto-inst.hpp"
using namespace pto;

using Rows = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using Place = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>;

static AICORE inline bool meet(__gm__ float* v1, __gm__ float* v2) {
  return v1 < v2 + 512 && v2 < v1 + 512;
}

// The text waits for the case that two arguments are one buffer.
extern "C" __global__ AICORE void compared(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place(v2);
  TSTORE(v12, v10);
  if (v1 == v2) {
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept unresolved
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept unresolved
  }
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void through_a_helper(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  if (meet(v1, v2 + v4)) v4 = 0;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v4);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void launched(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place(v2);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void launched_as(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place(v2);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void third(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  if (v1 == v3 || v2 == nullptr) v4 = 0;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v4);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void own_end(__gm__ float* v1, __gm__ float* v2, __gm__ float* v3, int32_t v4) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  for (__gm__ float* v5 = v2; v5 < v2 + 512; v5 += 64) v4 += 64;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v4);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

#define LAUNCH_AS(first, second) launched_as<<<1, nullptr, stream>>>(first, second, nullptr, 0)

void launch(float* buffer, float* other, void* stream) {
  float* half = buffer + 256;
  launched<<<1, nullptr, stream>>>(buffer, buffer + 256, other, 0);
  LAUNCH_AS(half, buffer);
  third<<<1, nullptr, stream>>>(buffer, other, buffer, 0);
}
