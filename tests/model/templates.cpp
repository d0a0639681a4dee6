// The template constants of the library's instructions, each value once where it can be run: a constant may move a call
// to another pipe, give it flags of its own, or have it speak to another core.
//
// What no call here or elsewhere names is listed with its reason in template_forms_ARCH.txt; scripts/check-model
// compares.
#include "book.h"

#include <algorithm>

namespace probes {
namespace {

const Shape kShape = {16, 64, 16, 64};

/// One call of each name for each value.
void each(Book &book, const Types &names, const std::string &kind, const Types &values, const std::string &arguments,
          const std::vector<TileType> &tiles, const std::vector<TensorType> &tensors = {}) {
  for (const std::string &name : names)
    for (const std::string &value : values)
      book.add(name + "<" + kind + "::" + value + ">" + arguments, tiles, tensors);
}

void algorithms(Book &book) {
  book.group = "templates";
  const TileType f = tile("float", kShape);
  const Types both = {"DEFAULT", "HIGH_PRECISION"};
  each(book, {"TDIV"}, "DivAlgorithm", both, "($0, $1, $2)", {f, f, f});
  each(book, {"TDIVS"}, "DivAlgorithm", both, "($0, $1, 3)", {f, f});
  each(book, {"TDIVS"}, "DivAlgorithm", both, "($0, 3, $1)", {f, f});
  each(book, {"TROWEXPANDDIV"}, "DivAlgorithm", both, "($0, $1, $2)", {f, f, column("float", 16)});
  each(book, {"TCOLEXPANDDIV"}, "DivAlgorithm", both, "($0, $1, $2)", {f, f, row("float", kShape)});
  each(book, {"TLOG"}, "LogAlgorithm", both, "($0, $1)", {f, f});
  each(book, {"TEXP"}, "ExpAlgorithm", both, "($0, $1)", {f, f});
  each(book, {"TSQRT"}, "SqrtAlgorithm", both, "($0, $1)", {f, f});
  each(book, {"TRSQRT"}, "RsqrtAlgorithm", both, "($0, $1)", {f, f});
  each(book, {"TRECIP"}, "RecipAlgorithm", both, "($0, $1)", {f, f});
  each(book, {"TPOW"}, "PowAlgorithm", both, "($0, $1, $2, $3)", {f, f, f, f});
  each(book, {"TPOWS"}, "PowAlgorithm", both, "($0, $1, 3, $2)", {f, f, f});
  each(book, {"TFMOD"}, "FmodAlgorithm", both, "($0, $1, $2)", {f, f, f});
  each(book, {"TFMODS"}, "FmodSAlgorithm", both, "($0, $1, 3)", {f, f});
  each(book, {"TREM"}, "RemAlgorithm", both, "($0, $1, $2, $3)", {f, f, f, tile("float", {1, 72, 1, 72})});
  each(book, {"TREMS"}, "RemSAlgorithm", both, "($0, $1, 3, $2)", {f, f, tile("float", {1, 64, 1, 64})});
  for (const char *saturates : {"true", "false"})
    book.add(std::string("TCVT<") + saturates + ">($0, $1, RoundMode::CAST_RINT)", {tile("int32_t", kShape), f});
}

void masksAndPads(Book &book) {
  const TileType f = tile("float", kShape), padded = [&] {
    TileType type = f;
    type.pad = "Zero";
    return type;
  }();
  TileType part = f;
  part.validRows = 12, part.validCols = 40;
  each(book, {"TFILLPAD"}, "TFillPadMode", {"Normal", "InPlace", "Expand"}, "($0, $1)", {padded, part});
  book.add("TGATHER<@0, @1, MaskPattern::P0101, GatherAxis::GATHER_ROW>($0, $1)", {f, f});
  for (const std::string axis : {"ROW", "COL"}) {
    book.add("TSCATTER<MaskPattern::P0101, ScatterAxis::SCATTER_" + axis + ">($0, $1)",
             {axis == "ROW" ? tile("float", {16, 128, 16, 128}) : tile("float", {32, 64, 32, 64}), f});
    book.probes.back().group = "undemanding";
  }
  for (const char *pattern : {"P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"}) {
    book.add(std::string("TGATHER<@0, @1, MaskPattern::") + pattern + ">($0, $1)", {f, f});
    const std::string bits = pattern;
    const int times = static_cast<int>(4 / std::count(bits.begin(), bits.end(), '1'));
    book.add(std::string("TSCATTER<MaskPattern::") + pattern + ">($0, $1)",
             {tile("float", {16, 64 * times, 16, 64 * times}), f});
    book.probes.back().group = "undemanding";
  }
}

void stores(Book &book) {
  book.group = "templates";
  const TileType f = tile("float", kShape);
  const TensorType global = matrix("float", 16, 64);
  for (const std::string atomic : {"AtomicNone", "AtomicAdd"})
    book.add("TSTORE<@0, decltype(%0), AtomicType::" + atomic + ">(%0, $0)", {f}, {global});
  book.group = "cube_templates";
  const TileType sum = boxed("Acc", "float", 64, 64), whole = boxed("Acc", "int32_t", 64, 64),
                 bytes = boxed("Mat", "int8_t", 64, 64), half = boxed("Mat", "half", 64, 64),
                 table = linear("Scaling", "uint64_t", 64);
  const TensorType result = matrix("float", 64, 64), quantised = matrix("int8_t", 64, 64);
  for (const std::string phase : {"Unspecified", "Partial", "Final"}) {
    book.add("TSTORE<STPhase::" + phase + ">(%0, $0)", {sum}, {result});
    for (const std::string atomic : {"AtomicNone", "AtomicAdd"})
      book.add("TSTORE<STPhase::" + phase + ", @0, decltype(%0), AtomicType::" + atomic + ">(%0, $0)", {sum}, {result});
  }
  for (const std::string relu : {"NoRelu", "NormalRelu"}) {
    const std::string mode = "ReluPreMode::" + relu;
    book.add("TSTORE<@0, decltype(%0), AtomicType::AtomicNone, " + mode + ">(%0, $0)", {sum}, {result});
    book.add("TSTORE_FP<@0, decltype(%0), @1, AtomicType::AtomicAdd, " + mode + ">(%0, $0, $1)", {whole, table},
             {quantised});
    book.add("TSTORE_FP<@0, decltype(%0), @1, AtomicType::AtomicNone, " + mode + ">(%0, $0, $1)", {whole, table},
             {quantised});
    book.add("TMOV<@0, @1, " + mode + ">($0, $1)", {half, sum});
    book.add("TMOV_FP<@0, @1, @2, " + mode + ">($0, $1, $2)", {bytes, whole, table});
    book.add("TEXTRACT<@0, @1, " + mode + ">($0, $1, 16, 16)", {boxed("Mat", "half", 16, 32), sum});
    book.add("TEXTRACT_FP<@0, @1, @2, " + mode + ">($0, $1, $2, 0, 0)", {bytes, whole, table});
    book.add("TINSERT<@0, @1, " + mode + ">($0, $1, 0, 16)", {boxed("Mat", "half", 64, 96), sum});
    book.add("TINSERT_FP<@0, @1, @2, " + mode + ">($0, $1, $2, 0, 0)", {bytes, whole, table});
  }
}

void products(Book &book, bool leftInColumns) {
  TileType left = boxed("Left", "half", 32, 64), right = boxed("Right", "half", 64, 32),
           sum = boxed("Acc", "float", 32, 32), bias = linear("Bias", "float", 32);
  if (leftInColumns)
    left.block = "ColMajor";
  for (const std::string phase : {"Unspecified", "Unknown", "Partial", "Final"}) {
    const std::string constant = "<AccPhase::" + phase + ">";
    book.add("TMATMUL" + constant + "($0, $1, $2)", {sum, left, right});
    book.add("TMATMUL_ACC" + constant + "($0, $0, $1, $2)", {sum, left, right});
    book.add("TMATMUL_BIAS" + constant + "($0, $1, $2, $3)", {sum, left, right, bias});
  }
}

/// Padding in L1, behind a load of the valid region.
void padsOfMatrices(Book &book) {
  for (const std::string element : {"half", "float", "int8_t"})
    for (const Shape &shape : {Shape{64, 64, 50, 64}, Shape{64, 64, 64, 32}, Shape{64, 64, 50, 40}}) {
      TileType part = boxed("Mat", element, shape.rows, shape.cols);
      part.validRows = shape.validRows, part.validCols = shape.validCols, part.pad = "Zero";
      book.add("TFILLPAD($0, $0)", {part});
      if (element == "half")
        book.add("TFILLPAD<@0, PadValue::Zero>($0, $0)", {part});
    }
}

/// Moves out of the accumulator that name its unit flag.
void phasedMoves(Book &book) {
  for (const std::string phase : {"Unspecified", "Partial", "Final"}) {
    book.add("TMOV<STPhase::" + phase + ">($0, $1)", {boxed("Mat", "half", 64, 64), boxed("Acc", "float", 64, 64)});
    book.add("TMOV_FP<STPhase::" + phase + ", @0, @1, @2>($0, $1, $2)",
             {boxed("Mat", "int8_t", 64, 64), boxed("Acc", "int32_t", 64, 64), linear("Scaling", "uint64_t", 64)});
  }
}

/// From the accumulator straight to UB: whose, and in halves.
void toVectors(Book &book) {
  const TileType sum = boxed("Acc", "float", 64, 64);
  for (const std::string mode : {"SingleModeVec0", "SingleModeVec1", "DualModeSplitM", "DualModeSplitN"}) {
    const int rows = mode == "DualModeSplitM" ? 32 : 64, cols = mode == "DualModeSplitN" ? 32 : 64;
    const TileType to = tile("float", {rows, cols, rows, cols});
    book.add("TMOV<@0, @1, AccToVecMode::" + mode + ">($0, $1)", {to, sum});
    book.add("TEXTRACT<@0, @1, AccToVecMode::" + mode + ">($0, $1, 0, 0)", {to, sum});
  }
}

} // namespace

void templateFormsA3(Book &book) {
  algorithms(book);
  masksAndPads(book);
  stores(book);
  products(book, /*leftInColumns=*/false);
  padsOfMatrices(book);
}

void templateFormsA5(Book &book) {
  algorithms(book);
  masksAndPads(book);
  stores(book);
  products(book, /*leftInColumns=*/true);
  padsOfMatrices(book);
  phasedMoves(book);
  toVectors(book);
}

} // namespace probes
