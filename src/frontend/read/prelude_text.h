// The declarations that the prelude is put together from, as text: macros, types, enumerations, queries; and what the
// chip's own compiler knows without a header.
//
// Data of prelude.cpp and of nobody else. Tested by tests/frontend/read/prelude_test.cpp.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace ptosync {

inline constexpr std::string_view kMacros = R"(#pragma once
#ifndef AICORE
#define AICORE __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __aicore__
#define __aicore__ __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __global__
#define __global__ __attribute__((annotate("ptosync_global")))
#endif
)";

inline constexpr std::string_view kQualifiers = R"(#define __gm__
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
)";

inline constexpr std::string_view kScalars = R"(using int8_t = signed char;
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
struct ptosync_byte { unsigned char bits; ptosync_byte() = default; template <typename T> explicit ptosync_byte(T); };
struct hifloat8_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e4m3_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e5m2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e8m0_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e1m2x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e2m1x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct int4b_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
#define PIPE_FIX PIPE_FIX
)";

inline constexpr std::string_view kLimits = R"(#define INT8_MIN (-128)
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
)";

// Enumerations that emitted kernels name, with the enumerators seen or documented.
struct EnumText {
  std::string_view name;
  std::string_view enumerators;
  bool scoped;
  bool inPto;
};

inline constexpr std::array kEnums = {
    // Sources disagree about the numbers, so these are nobody's: what is given by number is no pipe that is known.
    EnumText{"pipe_t",
             "PIPE_S = 0x50540100, PIPE_V = 0x50540200, PIPE_MTE1 = 0x50540300, PIPE_MTE2 = 0x50540400, "
             "PIPE_MTE3 = 0x50540500, PIPE_M = 0x50540600, PIPE_ALL = 0x50540700, PIPE_FIX = 0x50540800",
             false, false},
    EnumText{"event_t",
             "EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7, "
             "EVENT_ID8, EVENT_ID9, EVENT_ID10, EVENT_ID11, EVENT_ID12, EVENT_ID13, EVENT_ID14, EVENT_ID15",
             false, false},
    EnumText{"cache_line_t", "SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE", false, false},
    EnumText{"dcci_dst_t", "CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC", false, false},
    EnumText{"mem_dsb_t", "DSB_ALL, DSB_DDR, DSB_UB, DSB_L1", false, false},
    EnumText{"mem_bar_t",
             "VV_ALL, VST_VLD, VLD_VST, VST_VST, VS_ALL, VST_LD, VLD_ST, VST_ST, SV_ALL, ST_VLD, LD_VST, ST_VST, "
             "SS_ALL, ST_LD, LD_ST, ST_ST",
             false, false},
    EnumText{
        "QuantMode_t",
        "NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, QF162B8_PRE, VQF162B8_PRE, REQ8, "
        "VREQ8, QF162S4_PRE, VQF162S4_PRE, REQ4, VREQ4, DEQS16, VDEQS16, QF162S16_PRE, VQF162S16_PRE, QF322F16_PRE, "
        "VQF322F16_PRE, QF322BF16_PRE, VQF322BF16_PRE, QS322BF16_PRE, VQS322BF16_PRE, QF322HIF8_PRE, VQF322HIF8_PRE, "
        "QF322FP8_PRE, VQF322FP8_PRE, QF322HIF8_PRE_HYBRID, VQF322HIF8_PRE_HYBRID, SHIFTS322S16, VSHIFTS322S16",
        false, false},
    EnumText{"TileType", "Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl", true, true},
    EnumText{"BLayout", "RowMajor, ColMajor", true, true},
    EnumText{"SLayout", "NoneBox, RowMajor, ColMajor", true, true},
    EnumText{"PadValue", "Null, Zero, Max, Min", true, true},
    EnumText{"CompactMode", "Null, Normal, RowPlusOne, RowAlignedPadding", true, true},
    EnumText{"Layout", "ND, DN, NZ, SCALE, MX_A_ND, MX_A_DN, MX_A_ZZ, MX_B_ND, MX_B_DN, MX_B_NN", true, true},
    EnumText{"Direction", "DIR_C2V, DIR_V2C, DIR_BOTH", true, true},
    EnumText{"TileSplitAxis", "TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT", true, true},
    EnumText{"RoundMode", "CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD", true, true},
    EnumText{"SaturationMode", "ON, OFF", true, true},
    EnumText{"AtomicType", "AtomicNone, AtomicAdd, AtomicMax, AtomicMin", true, true},
    EnumText{"STPhase", "Unspecified, Partial = 2, Final", true, true},
    EnumText{"AccPhase", "Unspecified, Partial = 2, Final", true, true},
    EnumText{"AccToVecMode", "SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN", true, true},
    EnumText{"ReluPreMode", "NoRelu, NormalRelu", true, true},
    EnumText{"TFillPadMode", "Normal, InPlace, Expand", true, true},
    EnumText{"CmpMode", "EQ, NE, LT, LE, GT, GE", true, true},
    EnumText{"MaskPattern", "P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111", true, true},
};

// Instantiating a class template declares all its members again: what does not depend on the
// arguments stands in a base.
inline constexpr std::string_view kTypes = R"(
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
template <TileType Location, typename Element, int Rows, int Cols, BLayout Block = BLayout::RowMajor,
          int RowValid = Rows, int ColValid = Cols, SLayout Inner = SLayout::NoneBox, int Fractal = 512,
          PadValue Pad = PadValue::Null, CompactMode Compact = CompactMode::Null>
struct Tile : ptosync_tile {
  using DType = Element;
  Tile() = default;
  explicit Tile(long, long = 0);
  Element GetValue(long) const;
  Element *data() const;
};
template <long A = 1, long B = 1, long C = 1, long D = 1, long E = 1> struct Shape {
  Shape() = default;
  explicit Shape(long, long = 0, long = 0, long = 0, long = 0);
};
template <long A = 1, long B = 1, long C = 1, long D = 1, long E = 1> struct Stride {
  Stride() = default;
  explicit Stride(long, long = 0, long = 0, long = 0, long = 0);
};
template <typename Element, typename ShapeType, typename StrideType, Layout L = Layout::ND> struct GlobalTensor : ptosync_tensor {
  using DType = Element;
  GlobalTensor() = default;
  GlobalTensor(Element *, ShapeType = {}, StrideType = {});
  template <typename Other, typename OtherStride>
  explicit GlobalTensor(const GlobalTensor<Element, Other, OtherStride, L> &);
  Element *data() const;
};
template <int Flag, Direction Way, int SlotSize, int SlotNum, int LocalSlotNum = -1, bool NoSplit = false>
struct TPipe : ptosync_members {
  TPipe(...);
};
)";

inline constexpr std::string_view kQueries = R"(
int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblocknum();
int64_t get_subblockdim();
int64_t get_coreid();
void set_flag(...);
void wait_flag(...);
void pipe_barrier(...);
)";

inline constexpr std::array<std::string_view, 14> kDeclaredNames = {
    "get_block_idx", "get_block_num", "get_subblockid", "get_subblocknum", "get_subblockdim", "get_coreid", "set_flag",
    "wait_flag",     "pipe_barrier",  "Tile",           "GlobalTensor",    "TPipe",           "Shape",      "Stride"};

inline constexpr std::array kCommEnums = {std::pair{"AtomicType", "AtomicNone, AtomicAdd"},
                                          std::pair{"NotifyOp", "AtomicAdd, Set"},
                                          std::pair{"WaitCmp", "EQ, NE, GT, GE, LT, LE"}};

// Each memory is an address space of its own, so that the library's specialisations for them differ.
inline constexpr std::string_view kCompiler = R"(
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
)";

inline constexpr std::string_view kCompilerTypes = R"(
namespace __cce_scalar { enum addr_cal_mode_t : int { INC, DEC }; }
extern const int64_t block_idx, block_num;
)";

} // namespace ptosync
