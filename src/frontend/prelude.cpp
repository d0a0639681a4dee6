#include "frontend/prelude.h"

#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>

namespace ptosync {
namespace {

constexpr std::string_view kMacros = R"(#pragma once
#ifndef AICORE
#define AICORE __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __aicore__
#define __aicore__ __attribute__((annotate("ptosync_aicore")))
#endif
#ifndef __global__
#define __global__ __attribute__((annotate("ptosync_global")))
#endif
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
struct ptosync_byte { unsigned char bits; ptosync_byte() = default; template <typename T> explicit ptosync_byte(T); };
struct hifloat8_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e4m3_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e5m2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float8_e8m0_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e1m2x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct float4_e2m1x2_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct int4b_t : ptosync_byte { using ptosync_byte::ptosync_byte; };
struct ptosync_any {
  template <typename T> operator T() const;
  ptosync_any Wait(...) const;
  ptosync_any Test(...) const;
};
#define PIPE_FIX PIPE_FIX
)";

// Enumerations that emitted kernels name, with the enumerators seen or documented.
struct EnumText {
  std::string_view name;
  std::string_view enumerators;
  bool scoped;
  bool inPto;
};

constexpr std::array kEnums = {
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
    EnumText{"TileType", "Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl", true, true},
    EnumText{"BLayout", "RowMajor, ColMajor", true, true},
    EnumText{"SLayout", "NoneBox, RowMajor, ColMajor", true, true},
    EnumText{"PadValue", "Null, Zero, Max, Min", true, true},
    EnumText{"CompactMode", "Null, Normal, RowPlusOne, RowAlignedPadding", true, true},
    EnumText{"Layout", "ND, DN, NZ, SCALE, MX_A_ZZ, MX_A_ND, MX_A_DN, MX_B_NN, MX_B_ND, MX_B_DN", true, true},
    EnumText{"Direction", "DIR_C2V, DIR_V2C, DIR_BOTH", true, true},
    EnumText{"TileSplitAxis", "TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT", true, true},
    EnumText{"RoundMode",
             "CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD", true, true},
    EnumText{"SaturationMode", "OFF, ON", true, true},
    EnumText{"AtomicType", "AtomicNone, AtomicAdd, AtomicMax, AtomicMin", true, true},
    EnumText{"STPhase", "Unspecified, Partial, Final", true, true},
    EnumText{"AccPhase", "Unspecified, Partial, Final", true, true},
    EnumText{"AccToVecMode", "SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN", true, true},
    EnumText{"ReluPreMode", "NoRelu, NormalRelu", true, true},
    EnumText{"TFillPadMode", "Normal, InPlace, Expand", true, true},
    EnumText{"CmpMode", "EQ, NE, LT, LE, GT, GE", true, true},
    EnumText{"MaskPattern", "P0101, P1010, P0001, P0010, P0100, P1000, P1111", true, true},
};

// Instantiating a class template declares all its members again: what does not depend on the
// arguments stands in a base.
constexpr std::string_view kTypes = R"(
struct ptosync_tile {
  ptosync_any GetValue(long) const;
  void SetValue(...);
  void SetValidShape(long, long);
  void SetValidRow(long);
  void SetValidCol(long);
  int GetValidRow() const;
  int GetValidCol() const;
};
struct ptosync_tensor {
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
  Element *data() const;
};
template <int A = 1, int B = 1, int C = 1, int D = 1, int E = 1> struct Shape {
  Shape() = default;
  explicit Shape(long, long = 0, long = 0, long = 0, long = 0);
};
template <int A = 1, int B = 1, int C = 1, int D = 1, int E = 1> struct Stride {
  Stride() = default;
  explicit Stride(long, long = 0, long = 0, long = 0, long = 0);
};
template <typename Element, typename ShapeType, typename StrideType, Layout L = Layout::ND> struct GlobalTensor : ptosync_tensor {
  using DType = Element;
  GlobalTensor() = default;
  GlobalTensor(Element *, ShapeType = {}, StrideType = {});
  Element *data() const;
};
template <int Flag, Direction Way, int SlotSize, int SlotNum, int LocalSlotNum = SlotNum, bool NoSplit = false>
struct TPipe {
  TPipe(...);
};
)";

constexpr std::string_view kQueries = R"(
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

constexpr std::array<std::string_view, 14> kDeclaredNames = {
    "get_block_idx", "get_block_num", "get_subblockid", "get_subblocknum", "get_subblockdim",
    "get_coreid",    "set_flag",      "wait_flag",      "pipe_barrier",    "Tile",
    "GlobalTensor",  "TPipe",         "Shape",          "Stride"};

void appendEnums(std::string &text, bool inPto, const PreludeAdditions &additions) {
  for (const EnumText &known : kEnums) {
    if (known.inPto != inPto)
      continue;
    text += known.scoped ? "enum class " : "enum ";
    text += known.name;
    text += " : int { ";
    text += known.enumerators;
    auto extra = additions.enumerators.find(std::string(known.name));
    if (extra != additions.enumerators.end())
      for (const std::string &name : extra->second)
        text += ", " + name;
    text += " };\n";
  }
}

/// Enumerations of instruction options that nothing here knows: `Foo::BAR` with Foo undeclared.
void appendUnknownEnums(std::string &text, const PreludeAdditions &additions) {
  for (const auto &[name, enumerators] : additions.enumerators) {
    bool known = false;
    for (const EnumText &entry : kEnums)
      known |= entry.name == name;
    if (known)
      continue;
    text += "enum class " + name + " : int { ";
    for (const std::string &enumerator : enumerators)
      text += enumerator + ", ";
    text += "};\n";
  }
}

/// C-variadic parameters keep the declarations free of per-call template instantiation. Explicit
/// template arguments mix types and values, so there is one overload per leading number of types.
void appendFunction(std::string &text, const std::string &name, bool explicitArguments) {
  text += "ptosync_any " + name + "(...);\n";
  if (!explicitArguments)
    return;
  // Every mix of up to four; longer ones start with types, or with one value and then types.
  for (unsigned count = 1; count <= 4; ++count)
    for (unsigned kinds = 1; kinds < (1u << count); ++kinds) {
      text += "template <";
      for (unsigned i = 0; i < count; ++i)
        text += std::string(i ? ", " : "") + ((kinds >> i) & 1 ? "auto" : "typename");
      text += "> ptosync_any " + name + "(...);\n";
    }
  text += "template <typename...> ptosync_any " + name + "(...);\n";
  text += "template <auto, typename, typename, auto, auto, auto...> ptosync_any " + name + "(...);\n";
  std::string types;
  for (unsigned leading = 0; leading <= 6; ++leading) {
    text += "template <" + types;
    for (unsigned values = leading; values < 5 || values == leading; ++values)
      text += "auto, ";
    text += "auto...> ptosync_any " + name + "(...);\n";
    types += "typename, ";
  }
}

bool isIdentifierStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isIdentifierPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace

bool preludeDeclares(std::string_view name) {
  for (std::string_view declared : kDeclaredNames)
    if (declared == name)
      return true;
  return false;
}

std::string preludeText(const MentionedNames &names, const PreludeAdditions &additions) {
  std::string text(kMacros);
  appendEnums(text, false, additions);
  text += kQueries;
  text += "namespace pto {\n";
  appendEnums(text, true, additions);
  appendUnknownEnums(text, additions);
  text += kTypes;
  text += "}\n";
  auto append = [&](const std::string &name, const std::set<std::string> &invented) {
    appendFunction(text, name, invented.count(name) || names.explicitArguments.count(name));
  };
  std::set<std::string> all = names.functions;
  all.insert(additions.functions.begin(), additions.functions.end());
  // In the global namespace a name is found with and without `using namespace pto`; a using
  // declaration makes the qualified form work too.
  for (const std::string &name : all)
    if (!preludeDeclares(name))
      append(name, additions.functions);
  text += "namespace pto {\n";
  for (const std::string &name : all)
    if (!preludeDeclares(name))
      text += "using ::" + name + ";\n";
  std::set<std::string> comm = names.commFunctions;
  comm.insert(additions.commFunctions.begin(), additions.commFunctions.end());
  text += "namespace comm {\n";
  for (const std::string &name : comm)
    append(name, additions.commFunctions);
  std::map<std::string, std::string> commEnums = {{"AtomicType", "AtomicNone, AtomicAdd"},
                                                  {"NotifyOp", "AtomicAdd, Set"},
                                                  {"WaitCmp", "EQ, NE, GT, GE, LT, LE"}};
  for (const auto &[name, enumerators] : additions.commEnumerators)
    for (const std::string &enumerator : enumerators)
      commEnums[name] += (commEnums[name].empty() ? "" : ", ") + enumerator;
  for (const auto &[name, enumerators] : commEnums)
    text += "enum class " + name + " : int { " + enumerators + " };\n";
  text += "}\n}\n";
  return text;
}

MentionedNames mentionedNames(std::string_view source, const std::set<std::string> &known) {
  // Kernels repeat a few names thousands of times: look each spelling up once.
  std::unordered_map<std::string_view, bool> seen;
  MentionedNames names;
  std::size_t i = 0;
  while (i < source.size()) {
    if (!isIdentifierStart(source[i])) {
      // A digit starts a number; its suffix letters are no identifier.
      bool number = std::isdigit(static_cast<unsigned char>(source[i]));
      ++i;
      while (number && i < source.size() && isIdentifierPart(source[i]))
        ++i;
      continue;
    }
    std::size_t begin = i;
    while (i < source.size() && isIdentifierPart(source[i]))
      ++i;
    std::string_view name = source.substr(begin, i - begin);
    auto [entry, inserted] = seen.try_emplace(name, false);
    if (inserted)
      entry->second = known.count(std::string(name)) != 0;
    if (!entry->second)
      continue;
    bool comm = begin >= 6 && source.substr(begin - 6, 6) == "comm::";
    (comm ? names.commFunctions : names.functions).insert(std::string(name));
    std::size_t next = source.find_first_not_of(" \t\r\n", i);
    if (next != std::string_view::npos && source[next] == '<')
      names.explicitArguments.insert(std::string(name));
  }
  return names;
}

std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions) {
  return preludeText(mentionedNames(source, instructions), additions);
}

} // namespace ptosync
