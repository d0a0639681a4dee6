// Declarations that the built-in headers are put together from (read/prelude.h). A line `//= NAME` begins the part of
// that name; what stands behind a line `//=` without a name only makes this file C++ as it stands, which a test compiles.
// A kernel's build may define any macro, so names that the library does not have are spelled PtoName_ or ptosync_name.

//= macros
#pragma once
#ifndef AICORE
#define AICORE __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __aicore__
#define __aicore__ __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __global__
#define __global__ __attribute__((annotate("ptosync_global")))
#endif
//= qualifiers
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __tf__
#define __in__
#define __out__
#define PTO_INST inline
#define PTO_INTERNAL inline
//= scalars
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;
using size_t = unsigned long;
using uintptr_t = unsigned long;
using intptr_t = long;
using half = _Float16;
using bfloat16_t = __bf16;
struct ptosync_byte { char ptosync_bits; ptosync_byte() = default; template <class PtoT_> explicit ptosync_byte(PtoT_); };
struct hifloat8_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e4m3_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e5m2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e8m0_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e1m2x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e2m1x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct int4b_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
#define PIPE_FIX PIPE_FIX
//= limits
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807l - 1)
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
//=
// What comes out of unknown calls, what all objects of the library have, and what unknown types are made of. A
// ptosync_data only holds values; what making a ptosync_unknown does, nobody knows. The members that a file was found
// to lack stand in ptosync_members.
struct ptosync_any;
struct ptosync_members {};
//= bases
struct ptosync_open : ptosync_members {};
struct ptosync_any : ptosync_open {
  template <typename PtoT_> operator PtoT_() const;
  template <typename PtoT_> ptosync_any operator[](PtoT_ &&) const;
  ptosync_any Wait(...) const;
  ptosync_any Test(...) const;
};
struct ptosync_data : ptosync_members { template <typename PtoT_> operator PtoT_() const; };
struct ptosync_unknown : ptosync_open {
  ptosync_unknown(...); // of no arguments too
  template <typename PtoT_> operator PtoT_() const;
  ptosync_any operator[](long) const;
};
//=
// Enumerations that emitted kernels name, with the enumerators seen or documented. Sources disagree about the numbers of
// pipes, so these are nobody's: what is given by number is no pipe that is known.
//= enumerations
enum pipe_t : int { PIPE_S = 0x50540100, PIPE_V = 0x50540200, PIPE_MTE1 = 0x50540300, PIPE_MTE2 = 0x50540400,
    PIPE_MTE3 = 0x50540500, PIPE_M = 0x50540600, PIPE_ALL = 0x50540700, PIPE_FIX = 0x50540800 };
enum event_t : int { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7,
    EVENT_ID8, EVENT_ID9, EVENT_ID10, EVENT_ID11, EVENT_ID12, EVENT_ID13, EVENT_ID14, EVENT_ID15 };
enum cache_line_t : int { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t : int { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t : int { DSB_ALL, DSB_DDR, DSB_UB, DSB_L1 };
enum mem_bar_t : int { VV_ALL, VST_VLD, VLD_VST, VST_VST, VS_ALL, VST_LD, VLD_ST, VST_ST, SV_ALL, ST_VLD, LD_VST,
    ST_VST, SS_ALL, ST_LD, LD_ST, ST_ST };
enum QuantMode_t : int { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, QF162B8_PRE,
    VQF162B8_PRE, REQ8, VREQ8, QF162S4_PRE, VQF162S4_PRE, REQ4, VREQ4, DEQS16, VDEQS16, QF162S16_PRE, VQF162S16_PRE,
    QF322F16_PRE, VQF322F16_PRE, QF322BF16_PRE, VQF322BF16_PRE, QS322BF16_PRE, VQS322BF16_PRE, QF322HIF8_PRE,
    VQF322HIF8_PRE, QF322FP8_PRE, VQF322FP8_PRE, QF322HIF8_PRE_HYBRID, VQF322HIF8_PRE_HYBRID, SHIFTS322S16,
    VSHIFTS322S16 };
//= queries

int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblocknum();
int64_t get_subblockdim();
int64_t get_coreid();
void set_flag(...);
void wait_flag(...);
void pipe_barrier(...);
void get_buf(...);
void rls_buf(...);
//=
namespace pto {
//= enumerations of pto
enum class TileType : int { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };
enum class BLayout : int { RowMajor, ColMajor };
enum class SLayout : int { NoneBox, RowMajor, ColMajor };
enum class PadValue : int { Null, Zero, Max, Min };
enum class CompactMode : int { Null, Normal, RowPlusOne, RowAlignedPadding };
enum class Layout : int { ND, DN, NZ, SCALE, MX_A_ND, MX_A_DN, MX_A_ZZ, MX_B_ND, MX_B_DN, MX_B_NN };
enum class Direction : int { DIR_C2V, DIR_V2C, DIR_BOTH };
enum class TileSplitAxis : int { TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT };
enum class RoundMode : int { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode : int { ON, OFF };
enum class AtomicType : int { AtomicNone, AtomicAdd, AtomicMax, AtomicMin };
enum class STPhase : int { Unspecified, Partial = 2, Final };
enum class AccPhase : int { Unspecified, Partial = 2, Final };
enum class AccToVecMode : int { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
enum class ReluPreMode : int { NoRelu, NormalRelu };
enum class TFillPadMode : int { Normal, InPlace, Expand };
enum class CmpMode : int { EQ, NE, LT, LE, GT, GE };
enum class MaskPattern : int { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
//=
// Instantiating a class template declares all its members again: what does not depend on the arguments stands in a base.
//= types

struct ptosync_tile : ptosync_members {
  void SetValue(...);
  void SetValidShape(long, long);
  void SetValidRow(long);
  void SetValidCol(long);
  int GetValidRow() const;
  int GetValidCol() const;
};
struct ptosync_tensor : ptosync_members {
  int GetShape(int) const;
  int GetStride(int) const;
};
template <TileType PtoLocation_, typename PtoElement_, int PtoRows_, int PtoCols_,
          BLayout PtoBlock_ = BLayout::RowMajor, int PtoRowValid_ = PtoRows_, int PtoColValid_ = PtoCols_,
          SLayout PtoInner_ = SLayout::NoneBox, int PtoFractal_ = 512, PadValue PtoPad_ = PadValue::Null,
          CompactMode PtoCompact_ = CompactMode::Null>
struct Tile : ptosync_tile {
  using DType = PtoElement_;
  static constexpr int Rows = PtoRows_, Cols = PtoCols_, ValidRow = PtoRowValid_, ValidCol = PtoColValid_;
  Tile() = default;
  explicit Tile(long, long = 0);
  PtoElement_ GetValue(long) const;
  PtoElement_ *data() const;
};
template <long PtoA_ = 1, long PtoB_ = 1, long PtoC_ = 1, long PtoD_ = 1, long PtoE_ = 1>
struct Shape {
  Shape() = default;
  explicit Shape(long, long = 0, long = 0, long = 0, long = 0);
};
template <long PtoA_ = 1, long PtoB_ = 1, long PtoC_ = 1, long PtoD_ = 1, long PtoE_ = 1>
struct Stride {
  Stride() = default;
  explicit Stride(long, long = 0, long = 0, long = 0, long = 0);
};
template <typename PtoElement_, typename PtoShapeType_, typename PtoStrideType_, Layout PtoL_ = Layout::ND>
struct GlobalTensor : ptosync_tensor {
  using DType = PtoElement_;
  GlobalTensor() = default;
  GlobalTensor(PtoElement_ *, PtoShapeType_ = {}, PtoStrideType_ = {});
  template <typename PtoOther_, typename PtoOtherStride_>
  explicit GlobalTensor(const GlobalTensor<PtoElement_, PtoOther_, PtoOtherStride_, PtoL_> &);
  PtoElement_ *data() const;
};
template <int PtoFlag_, Direction PtoWay_, int PtoSlotSize_, int PtoSlotNum_, int PtoLocalSlotNum_ = -1,
          bool PtoNoSplit_ = false>
struct TPipe : ptosync_members {
  TPipe(...);
};
//=
namespace comm {
//= enumerations of comm
enum class AtomicType : int { AtomicNone, AtomicAdd, };
enum class NotifyOp : int { AtomicAdd, Set, };
enum class WaitCmp : int { EQ, NE, GT, GE, LT, LE, };
//=
}
}
// What the chip's own compiler knows without a header. Each memory is an address space of its own, so that the library's
// specialisations for them differ.
//= compiler

#define __gm__ __attribute__((address_space(1)))
#define __ubuf__ __attribute__((address_space(2)))
#define __cbuf__ __attribute__((address_space(3)))
#define __ca__ __attribute__((address_space(4)))
#define __cb__ __attribute__((address_space(5)))
#define __cc__ __attribute__((address_space(6)))
#define __fbuf__ __attribute__((address_space(7)))
#define __biasbuf__ __attribute__((address_space(8)))
#define __ssbuf__ __attribute__((address_space(9)))
#define __tf__
#define __in__
#define __out__
#define __inline_attr__
#define __simt_vf__
#define __simt_callee__
#define __simd_vf__
#define __simd_callee__
#define LAUNCH_BOUND(x)
#define __VEC_SCOPE__
#define __cce_get_tile_ptr(x) (x)
#define EVENT_ID_MAX 8
#define __CCE__ 1
//= types of the compiler

namespace __cce_scalar { enum addr_cal_mode_t : int { INC, DEC }; }
extern const int64_t block_idx, block_num;
//= vectors of the compiler
struct vector_bool : ptosync_data {};
struct vector_address : ptosync_data {};
struct vector_align : ptosync_data {};
struct vector_u8 : ptosync_data {};
struct vector_s8 : ptosync_data {};
struct vector_u16 : ptosync_data {};
struct vector_s16 : ptosync_data {};
struct vector_u32 : ptosync_data {};
struct vector_s32 : ptosync_data {};
struct vector_u64 : ptosync_data {};
struct vector_s64 : ptosync_data {};
struct vector_f16 : ptosync_data {};
struct vector_f32 : ptosync_data {};
struct vector_bf16 : ptosync_data {};
struct vector_hif8 : ptosync_data {};
struct vector_f8e4m3 : ptosync_data {};
struct vector_f8e5m2 : ptosync_data {};
struct vector_f8e8m0 : ptosync_data {};
struct vector_f4e1m2x2 : ptosync_data {};
struct vector_f4e2m1x2 : ptosync_data {};
