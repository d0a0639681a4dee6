#include "pto/pto-inst.hpp"
using namespace pto;

using Rows = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using Place = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>;

extern "C" __global__ AICORE void difference(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  int64_t v6 = v1 - v2;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v6);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void divided(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  uint64_t v6 = ((uint64_t) v1 - (uint64_t) v2) / 64;
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) ((uint64_t) v2 + v6 * 64));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void narrowed(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  uint32_t v6 = (uint32_t) (uint64_t) v1;
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) (((uint64_t) v2 >> 32 << 32) + v6));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void chosen(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  uint64_t v6 = v4 > 2 ? (uint64_t) v1 - (uint64_t) v2 : 0;
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) ((uint64_t) v2 + v6));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void kept_in_memory(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  v3[0] = (int64_t) v1 - (int64_t) v2;
  int64_t v6 = v3[v4] / 4;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v6);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void other_mapping(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) ((uint64_t) v1 + 0x80000000000));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void mapping_given(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) ((uint64_t) v1 + (uint64_t) v5));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept RAW
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void signed_sum(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  Place v12 = Place(v1);
  Place v13 = Place((__gm__ float*) ((int64_t) v2 + (int64_t) v4 * 4));
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void offset_table(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  int64_t v6 = v3[v4];
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v6);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}

extern "C" __global__ AICORE void cancelled(__gm__ float* v1, __gm__ float* v2, __gm__ int64_t* v3, int32_t v4, int64_t v5) {
  #if defined(__DAV_VEC__)
  Rows v10;
  TASSIGN(v10, (uint64_t) 0);
  Rows v11;
  TASSIGN(v11, (uint64_t) 8192);
  int64_t v6 = (v1 + v4) - v1;
  Place v12 = Place(v1);
  Place v13 = Place(v2 + v6);
  TSTORE(v12, v10);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
  TLOAD(v11, v13);
  #endif // __DAV_VEC__

  pipe_barrier(PIPE_ALL); // expect: kept hazard
}
