// Recording declarations of the instruction library: what a kernel's text is compiled against natively.
//
// Every call writes its name, its line and what its operands stand for to the log (recording_runtime.cpp); nothing is
// computed. Tiles hold an address and a valid region, tensors a pointer with shape and stride, FIFOs their ring
// offsets. Written for this test alone: neither the frontend's built-in declarations nor the vendor's headers are
// behind it, so that a mistake in those shows. The line of a call comes from a default argument, evaluated where the
// call stands.
#pragma once

#define AICORE
#define __aicore__
#define __global__
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

namespace recorder {

/// Storage states of a tile or tensor.
enum State : long { Unset, Set, Unknown };

struct TileData {
  long address = 0, state = Unset, elementBits = 0, rows = 0, cols = 0, validRows = 0, validCols = 0;
};
struct TensorData {
  long pointer = 0, state = Unset;
  long shape[5] = {}, stride[5] = {};
};
struct FifoData {
  long memory = 0, cubeToVec = 0, vecToCube = 0;
};

struct Operand {
  char kind = 0; // 0: not given; T tile, G tensor, F FIFO, S scalar, P pointer, U anything else
  const void *object = nullptr;
  long value = 0;

  Operand() = default;
  template <typename T> Operand(const T &given) { read(given); }
  Operand(Operand &&) = default;
  Operand(const Operand &) = default;

private:
  void read(const TileData &tile) { kind = 'T', object = &tile; }
  void read(const TensorData &tensor) { kind = 'G', object = &tensor; }
  void read(const FifoData &fifo) { kind = 'F', object = &fifo; }
  template <typename T> void read(T *const &pointer) {
    if constexpr (__is_base_of(TileData, T) || __is_base_of(TensorData, T) || __is_base_of(FifoData, T))
      read(*pointer);
    else
      kind = 'P', value = (long)pointer;
  }
  template <typename T> void read(const T &given) {
    if constexpr (__is_base_of(TileData, T))
      read(static_cast<const TileData &>(given));
    else if constexpr (__is_base_of(TensorData, T))
      read(static_cast<const TensorData &>(given));
    else if constexpr (__is_base_of(FifoData, T))
      read(static_cast<const FifoData &>(given));
    else if constexpr (__is_integral(T) || __is_enum(T))
      kind = 'S', value = (long)given;
    else if constexpr (__is_array(T))
      kind = 'P', value = (long)&given[0];
    else
      kind = 'U';
  }
};

/// Where a call stands: a type of its own, so that no argument is taken for it.
struct Line {
  int number;
};

extern "C" {
void recorder_call(const char *name, int line, const Operand *operands, int count);
void recorder_passive(const char *name, int line, const Operand *operands, int count);
void recorder_sync(char kind, long source, long destination, long id, int line);
void recorder_place(const char *name, int line, const Operand *object);
long recorder_result();
long recorder_query(const char *name);
long recorder_scalar_argument(int number);
void *recorder_pointer_argument(int number);
void recorder_bind_scalar(int number, long value);
void recorder_bind_pointer(int number, const void *value);
struct Case {
  const char *name;
  void (*run)();
};
int recorder_main(int count, char **arguments, const Case *cases, int caseCount);
}

/// What an instruction returns: converts to anything, another small number each time.
struct Any {
  /// An operand is made of the result itself, as one that is no number.
  template <typename T, int (*)[__is_same(__remove_cv(T), Operand) ? -1 : 1] = nullptr> operator T() const {
    if constexpr (__is_arithmetic(T) || __is_enum(T))
      return (T)recorder_result();
    else
      return T{};
  }
  template <typename... T> Any Wait(T... operands) const {
    Operand all[] = {Operand(0.0), Operand(operands)...};
    recorder_call("Wait", 0, all, sizeof...(T) + 1);
    return {};
  }
  template <typename... T> Any Test(T... operands) const {
    Operand all[] = {Operand(0.0), Operand(operands)...};
    recorder_call("Test", 0, all, sizeof...(T) + 1);
    return {};
  }
};

inline Any record(const char *name, Line line, const Operand *operands, int most) {
  int count = 0;
  while (count < most && operands[count].kind)
    ++count;
  recorder_call(name, line.number, operands, count);
  return {};
}

template <typename T> struct Bare {
  using type = T;
};
template <typename T> struct Bare<T &> {
  using type = T;
};
template <typename T> struct Bare<T &&> {
  using type = T;
};
template <typename T> struct Bare<const T> {
  using type = T;
};
template <typename T> struct Bare<const T &> {
  using type = T;
};

} // namespace recorder

#define RECORDER_OPERANDS                                                                                              \
  recorder::Operand o0 = {}, recorder::Operand o1 = {}, recorder::Operand o2 = {}, recorder::Operand o3 = {},          \
                    recorder::Operand o4 = {}, recorder::Operand o5 = {}, recorder::Operand o6 = {},                   \
                    recorder::Operand o7 = {}, recorder::Operand o8 = {}, recorder::Operand o9 = {},                   \
                    recorder::Operand o10 = {}, recorder::Operand o11 = {}, recorder::Line line = {__builtin_LINE()}
#define RECORDER_BODY(name)                                                                                            \
  {                                                                                                                    \
    recorder::Operand all[] = {o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11};                                      \
    return recorder::record(#name, line, all, 12);                                                                     \
  }
#define RECORD(name) inline recorder::Any name(RECORDER_OPERANDS) RECORDER_BODY(name)
#define RECORD_TEMPLATE(name, ...)                                                                                     \
  template <__VA_ARGS__> inline recorder::Any name(RECORDER_OPERANDS) RECORDER_BODY(name)

enum pipe_t : int { PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_ALL, PIPE_FIX };
enum event_t : int {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
  EVENT_ID8,
  EVENT_ID9,
  EVENT_ID10,
  EVENT_ID11,
  EVENT_ID12,
  EVENT_ID13,
  EVENT_ID14,
  EVENT_ID15
};
enum cache_line_t : int { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t : int { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t : int { DSB_ALL, DSB_DDR, DSB_UB, DSB_L1 };
enum mem_bar_t : int {
  VV_ALL,
  VST_VLD,
  VLD_VST,
  VST_VST,
  VS_ALL,
  VST_LD,
  VLD_ST,
  VST_ST,
  SV_ALL,
  ST_VLD,
  LD_VST,
  ST_VST,
  SS_ALL,
  ST_LD,
  LD_ST,
  ST_ST
};

inline void set_flag(recorder::Operand source, recorder::Operand destination, recorder::Operand id,
                     recorder::Line line = {__builtin_LINE()}) {
  recorder::recorder_sync('s', source.value, destination.value, id.value, line.number);
}
inline void wait_flag(recorder::Operand source, recorder::Operand destination, recorder::Operand id,
                      recorder::Line line = {__builtin_LINE()}) {
  recorder::recorder_sync('q', source.value, destination.value, id.value, line.number);
}
inline void get_buf(recorder::Operand pipe, recorder::Operand id, recorder::Operand,
                    recorder::Line line = {__builtin_LINE()}) {
  recorder::recorder_sync('G', pipe.value, pipe.value, id.value, line.number);
}
inline void rls_buf(recorder::Operand pipe, recorder::Operand id, recorder::Operand,
                    recorder::Line line = {__builtin_LINE()}) {
  recorder::recorder_sync('R', pipe.value, pipe.value, id.value, line.number);
}
inline void pipe_barrier(recorder::Operand pipe, recorder::Line line = {__builtin_LINE()}) {
  recorder::recorder_sync('b', pipe.value, pipe.value, 0, line.number);
}
inline int64_t get_block_idx() { return recorder::recorder_query("get_block_idx"); }
inline int64_t get_block_num() { return recorder::recorder_query("get_block_num"); }
inline int64_t get_subblockid() { return recorder::recorder_query("get_subblockid"); }
inline int64_t get_subblocknum() { return recorder::recorder_query("get_subblocknum"); }
inline int64_t get_subblockdim() { return recorder::recorder_query("get_subblockdim"); }
inline int64_t get_coreid() { return recorder::recorder_query("get_coreid"); }

namespace pto {

enum class TileType : int { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };
enum class BLayout : int { RowMajor, ColMajor };
enum class SLayout : int { NoneBox, RowMajor, ColMajor };
enum class PadValue : int { Null, Zero, Max, Min };
enum class CompactMode : int { Null, Normal, RowPlusOne, RowAlignedPadding };
enum class Layout : int { ND, DN, NZ, SCALE, MX_A_ZZ, MX_A_ND, MX_A_DN, MX_B_NN, MX_B_ND, MX_B_DN };
enum class Direction : int { DIR_C2V, DIR_V2C, DIR_BOTH };
enum class TileSplitAxis : int { TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT };
enum class RoundMode : int { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode : int { ON, OFF };
enum class AtomicType : int { AtomicNone, AtomicAdd, AtomicMax, AtomicMin };
enum class STPhase : int { Unspecified, Partial, Final };
enum class AccPhase : int { Unspecified, Partial, Final };
enum class AccToVecMode : int { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
enum class ReluPreMode : int { NoRelu, NormalRelu };
enum class TFillPadMode : int { Normal, InPlace, Expand };
enum class CmpMode : int { EQ, NE, LT, LE, GT, GE };
enum class MaskPattern : int { P0101, P1010, P0001, P0010, P0100, P1000, P1111 };

template <typename T> constexpr long bitsOf() { return 8 * (long)sizeof(T); }

template <TileType Location, typename Element, int Rows, int Cols, BLayout Block = BLayout::RowMajor,
          int RowValid = Rows, int ColValid = Cols, SLayout Inner = SLayout::NoneBox, int Fractal = 512,
          PadValue Pad = PadValue::Null, CompactMode Compact = CompactMode::Null>
struct Tile : recorder::TileData {
  using DType = Element;
  static constexpr bool kRowMajor = Block == BLayout::RowMajor;
  static constexpr bool kBoxed = Inner != SLayout::NoneBox;
  Tile() { shape(); }
  explicit Tile(long first, long second = 0) {
    shape();
    long given[2] = {first, second};
    int next = 0;
    if constexpr (RowValid == -1)
      validRows = given[next++];
    if constexpr (ColValid == -1)
      validCols = given[next++];
  }
  Element *data(recorder::Line line = {__builtin_LINE()}) const {
    passive("data", line, {}, {});
    return (Element *)address;
  }
  recorder::Any GetValue(recorder::Operand offset, recorder::Line line = {__builtin_LINE()}) const {
    recorder::Operand all[] = {*this, offset};
    return recorder::record("GetValue", line, all, 2);
  }
  void SetValue(recorder::Operand offset, recorder::Operand value, recorder::Line line = {__builtin_LINE()}) {
    recorder::Operand all[] = {*this, offset, value};
    recorder::record("SetValue", line, all, 3);
  }
  void SetValidShape(long rows, long cols, recorder::Line line = {__builtin_LINE()}) {
    passive("SetValidShape", line, rows, cols);
    validRows = rows, validCols = cols;
  }
  void SetValidRow(long rows, recorder::Line line = {__builtin_LINE()}) {
    passive("SetValidRow", line, rows, {});
    validRows = rows;
  }
  void SetValidCol(long cols, recorder::Line line = {__builtin_LINE()}) {
    passive("SetValidCol", line, cols, {});
    validCols = cols;
  }
  int GetValidRow(recorder::Line line = {__builtin_LINE()}) const {
    passive("GetValidRow", line, {}, {});
    return (int)validRows;
  }
  int GetValidCol(recorder::Line line = {__builtin_LINE()}) const {
    passive("GetValidCol", line, {}, {});
    return (int)validCols;
  }

private:
  void shape() {
    elementBits = bitsOf<Element>();
    rows = Rows, cols = Cols;
    validRows = RowValid, validCols = ColValid;
  }
  void passive(const char *name, recorder::Line line, recorder::Operand a, recorder::Operand b) const {
    recorder::Operand all[] = {*this, a, b};
    recorder::recorder_passive(name, line.number, all, 1 + (a.kind != 0) + (b.kind != 0));
  }
};

/// Five entries; those that the type leaves open (-1) are given in order.
template <int A, int B, int C, int D, int E> struct Dimensions {
  long entries[5] = {A, B, C, D, E};
  Dimensions() = default;
  explicit Dimensions(long a, long b = 0, long c = 0, long d = 0, long e = 0) {
    long given[5] = {a, b, c, d, e};
    int next = 0;
    for (long &entry : entries)
      if (entry == -1)
        entry = given[next++];
  }
};
template <int A = 1, int B = 1, int C = 1, int D = 1, int E = 1> struct Shape : Dimensions<A, B, C, D, E> {
  using Dimensions<A, B, C, D, E>::Dimensions;
};
template <int A = 1, int B = 1, int C = 1, int D = 1, int E = 1> struct Stride : Dimensions<A, B, C, D, E> {
  using Dimensions<A, B, C, D, E>::Dimensions;
};

template <typename Element, typename ShapeType, typename StrideType, Layout L = Layout::ND>
struct GlobalTensor : recorder::TensorData {
  using DType = Element;
  GlobalTensor() = default;
  GlobalTensor(Element *data, ShapeType shapes = {}, StrideType strides = {}) {
    pointer = (long)data;
    state = recorder::Set;
    for (int i = 0; i < 5; ++i)
      shape[i] = shapes.entries[i], stride[i] = strides.entries[i];
  }
  Element *data(recorder::Line line = {__builtin_LINE()}) const {
    recorder::Operand self = *this;
    recorder::recorder_passive("data", line.number, &self, 1);
    return (Element *)pointer;
  }
  int GetShape(int i, recorder::Line line = {__builtin_LINE()}) const {
    recorder::Operand all[] = {*this, i};
    recorder::recorder_passive("GetShape", line.number, all, 2);
    return (int)shape[i];
  }
  int GetStride(int i, recorder::Line line = {__builtin_LINE()}) const {
    recorder::Operand all[] = {*this, i};
    recorder::recorder_passive("GetStride", line.number, all, 2);
    return (int)stride[i];
  }
};

template <int Flag, Direction Way, int SlotSize, int SlotNum, int LocalSlotNum = SlotNum, bool NoSplit = false>
struct TPipe : recorder::FifoData {
  template <typename T> TPipe(T *ring, long cube = 0, long vec = 0) {
    memory = (long)ring;
    cubeToVec = cube, vecToCube = vec;
  }
  template <typename... T> TPipe(long first, T... rest) {}
};

} // namespace pto

// Operations that only place objects; they reach no pipe.
template <typename Object, typename Address>
inline void TASSIGN(Object &&object, Address address, recorder::Line line = {__builtin_LINE()}) {
  using Plain = typename recorder::Bare<Object>::type;
  recorder::Operand all[] = {object, address};
  recorder::recorder_passive("TASSIGN", line.number, all, 2);
  if constexpr (__is_base_of(recorder::TileData, Plain))
    object.address = (long)address, object.state = recorder::Set;
  else if constexpr (__is_base_of(recorder::TensorData, Plain))
    object.pointer = (long)address, object.state = recorder::Set;
}
template <auto Address, typename Object>
inline void TASSIGN(Object &&object, recorder::Line line = {__builtin_LINE()}) {
  recorder::Operand all[] = {object};
  recorder::recorder_passive("TASSIGN", line.number, all, 1);
  object.address = (long)Address, object.state = recorder::Set;
}
template <typename View, typename Source>
inline void TRESHAPE(View &&view, Source &&source, recorder::Line line = {__builtin_LINE()}) {
  recorder::Operand all[] = {view, source};
  recorder::recorder_passive("TRESHAPE", line.number, all, 2);
  view.address = source.address, view.state = source.state;
}
template <typename View, typename Source>
inline void TALIAS(View &&view, Source &&source, recorder::Line line = {__builtin_LINE()}) {
  recorder::Operand all[] = {view, source};
  recorder::recorder_passive("TALIAS", line.number, all, 2);
  view.address = source.address, view.state = source.state;
}
/// An element of a boxed tile is not where row and column say.
template <typename View, typename Parent>
inline void TSUBVIEW(View &&view, Parent &&parent, long row, long col, recorder::Line line = {__builtin_LINE()}) {
  using Plain = typename recorder::Bare<Parent>::type;
  recorder::Operand all[] = {view, parent, row, col};
  recorder::recorder_passive("TSUBVIEW", line.number, all, 4);
  long element = Plain::kRowMajor ? row * parent.cols + col : col * parent.rows + row;
  view.address = parent.address + element * (parent.elementBits / 8);
  view.state = Plain::kBoxed && parent.state == recorder::Set ? recorder::Unknown : parent.state;
}
namespace pto {
using ::get_buf;
using ::pipe_barrier;
using ::rls_buf;
using ::set_flag;
using ::TALIAS;
using ::TASSIGN;
using ::TRESHAPE;
using ::TSUBVIEW;
using ::wait_flag;
namespace comm {
enum class AtomicType : int { AtomicNone, AtomicAdd };
enum class NotifyOp : int { AtomicAdd, Set };
enum class WaitCmp : int { EQ, NE, GT, GE, LT, LE };
} // namespace comm
} // namespace pto

/// A macro of the library, which no scope hides.
constexpr int FFTS_MODE_VAL = 2;

namespace recorder {

/// An argument of a kernel: the n-th scalar of the run, the n-th memory, or a default object.
template <typename T> struct Argument {
  T value = make(0);
  Argument(int number) : value(make(number)) {}
  static T make(int number) {
    if constexpr (__is_integral(T) || __is_enum(T)) {
      T value = (T)recorder_scalar_argument(number);
      recorder_bind_scalar(number, (long)value);
      return value;
    } else if constexpr (__is_floating_point(T)) {
      return (T)recorder_scalar_argument(number);
    } else if constexpr (__is_base_of(TensorData, T)) {
      T tensor;
      tensor.pointer = (long)recorder_pointer_argument(number);
      tensor.state = Unknown;
      recorder_bind_pointer(number, (const void *)tensor.pointer);
      return tensor;
    } else if constexpr (__is_base_of(TileData, T)) {
      T tile;
      tile.state = Unknown;
      return tile;
    } else {
      return T{};
    }
  }
};
template <typename T> struct Argument<T *> {
  T *value;
  Argument(int number) : value((T *)recorder_pointer_argument(number)) { recorder_bind_pointer(number, value); }
};

template <int...> struct Numbers {};
template <int N, int... I> struct Count : Count<N - 1, N - 1, I...> {};
template <int... I> struct Count<0, I...> {
  using type = Numbers<I...>;
};

template <typename R, typename... P, int... I> void callWith(R (*kernel)(P...), Numbers<I...>) {
  struct {
    void operator()(R (*kernel)(P...), Argument<typename Bare<P>::type>... given) { kernel(given.value...); }
  } caller;
  caller(kernel, Argument<typename Bare<P>::type>(I)...);
}
template <typename R, typename... P> void callKernel(R (*kernel)(P...)) {
  callWith(kernel, typename Count<sizeof...(P)>::type());
}

} // namespace recorder
