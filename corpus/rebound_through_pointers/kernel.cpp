#include "pto/pto-inst.hpp"
using namespace pto;

using Row = Tile<TileType::Vec, float, 1, 1024>;
using Part = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, -1, -1>;
using Line = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>>;

static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_ALL); }

struct Slot {
  Row *row;
};

static AICORE inline Row *pick(Row *a, Row *b, int32_t n) { return n > 7 ? a : b; }

static AICORE inline void placeAll(Row *rows, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    TASSIGN(*rows, 0x1000 * i);
    ++rows;
  }
}

extern "C" __global__ AICORE void chosen_once(__gm__ float *in, int32_t n) {
  Row a, b, far;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  TASSIGN(far, 0x10000);
  Row *either = n > 7 ? &a : &b;
  TASSIGN(*either, 0x8000);
  TEXPANDS(far, 1.0f);
  pipe_barrier(PIPE_V); // expect: removed
  TADDS(*either, *either, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TEXPANDS(a, 2.0f);
  Row *both[2] = {&a, &b};
  pipe_barrier(PIPE_V); // expect: removed
  TEXPANDS(far, 2.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(*both[n & 1], far, 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void walked(__gm__ float *in, int32_t n) {
  Row rows[3], far;
  TASSIGN(rows[0], 0x8000);
  TASSIGN(rows[1], 0x9000);
  TASSIGN(rows[2], 0xa000);
  TASSIGN(far, 0x10000);
  Row low;
  TASSIGN(low, 0x1000);
  placeAll(rows, 3);
  TEXPANDS(low, 1.0f);
  pipe_barrier(PIPE_V); // expect: removed
  TEXPANDS(far, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(rows[1], rows[1], 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void member(__gm__ float *in, int32_t n) {
  Row a, low;
  TASSIGN(a, 0x8000);
  TASSIGN(low, 0x0);
  Slot slot = {&a};
  TRESHAPE(*slot.row, low);
  TEXPANDS(low, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(a, a, 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void returned(__gm__ float *in, int32_t n) {
  Row a, b, low;
  TASSIGN(a, 0x8000);
  TASSIGN(b, 0x9000);
  TASSIGN(low, 0x0);
  TSUBVIEW(*pick(&a, &b, n), low, 0, 0);
  TEXPANDS(low, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(b, b, 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void assigned(__gm__ float *in, int32_t n) {
  Row a, low;
  TASSIGN(a, 0x8000);
  TASSIGN(low, 0x0);
  Row *row = &low;
  if (n < 7)
    row = &a;
  TASSIGN<0>(*row);
  TEXPANDS(low, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(a, a, 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void regions(__gm__ float *in, int32_t n) {
  Part part(1, 8), other(1, 8);
  TASSIGN(part, 0x0);
  TASSIGN(other, 0x8000);
  Row row;
  TASSIGN(row, 0x200);
  Part *set = &other;
  if (n < 7)
    set = &part;
  set->SetValidShape(8, 128);
  TEXPANDS(part, 1.0f);
  pipe_barrier(PIPE_V); // expect: kept
  TADDS(row, row, 1.0f);
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void tensors(__gm__ float *in, __gm__ float *out, int32_t n) {
  Row a, b;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x8000);
  Line from(in), to(out);
  Line *line = &from;
  if (n < 7)
    line = &to;
  TASSIGN(*line, in);
  TSTORE(to, a);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: kept
  TLOAD(b, from);
  ptoas_auto_sync_tail();
}
