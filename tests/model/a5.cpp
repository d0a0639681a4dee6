// The a5's vector instructions: the same calls as on the a3, but for those that its library does not take.
#include "book.h"

#include <algorithm>

namespace probes {
namespace {

/// True if the a5's library has no such form, or refuses it when it is compiled.
bool refused(const Probe &probe) {
  if (probe.instruction == "TADDDEQRELU")
    return true;
  return probe.instruction == "TCVT" && probe.tiles[0].element == "half" && probe.tiles[1].element == "int32_t";
}

/// Types of which the a5 has code of its own: the a3 takes 16 and 32 bits only.
void otherTypes(Book &book) {
  book.group = "other_types";
  for (const Shape &shape : kFewShapes)
    for (const std::string element : {"int64_t", "int8_t", "bfloat16_t"}) {
      TileType values = tile(element, shape);
      for (const std::string name : {"TADD", "TSUB", "TMUL", "TMAX", "TMIN"})
        if (element != "int8_t" || name != "TMUL")
          book.add(name + "($0, $1, $2)", {values, values, values});
      for (const std::string name : {"TADDS", "TMAXS"})
        book.add(name + "($0, $1, 3)", {values, values});
      int bytes = (shape.cols / 8 + 31) / 32 * 32;
      TileType bits = tile("uint8_t", {shape.rows, bytes, shape.validRows, (shape.validCols + 7) / 8});
      book.add("TCMP($0, $1, $2, CmpMode::LT)", {bits, values, values});
      if (element != "bfloat16_t") // this machine does not link its scalar
        book.add("TCMPS($0, $1, 3, CmpMode::LT)", {bits, values});
      book.add("TEXPANDS($0, 3)", {values});
      book.add("TROWEXPAND($0, $1)", {values, column(element, shape.validRows)});
      book.add("TCOLEXPAND($0, $1)", {values, row(element, shape)});
      if (element != "int64_t")
        book.add("TMOV($0, $1)", {values, values});
    }
}

/// 64-bit integers go a way of their own through the a5's library, two halves at a time.
void longIntegers(Book &book) {
  book.group = "long_integers";
  const std::string element = "int64_t";
  for (const Shape &shape : kFewShapes) {
    TileType values = tile(element, shape);
    for (const std::string name : {"TDIV", "TSHL", "TSHR", "TPARTADD", "TPARTMAX", "TPARTMIN"})
      book.add(name + "($0, $1, $2)", {values, values, values});
    for (const std::string name : {"TDIVS", "TSUBS", "TMULS", "TMINS", "TSHLS", "TSHRS"})
      book.add(name + "($0, $1, 3)", {values, values});
    book.add("TDIVS($0, 3, $1)", {values, values});
    book.add("TREM($0, $1, $2, $3)", {values, values, values, values});
    book.add("TREMS($0, $1, 3, $2)", {values, values, values});
    for (const std::string name : {"TROWSUM", "TROWMAX", "TROWMIN"})
      book.add(name + "($0, $1, $2)", {column(element, shape.validRows), values, values});
    for (const std::string name : {"TCOLSUM", "TCOLMAX", "TCOLMIN"})
      book.add(name + "($0, $1)", {row(element, shape), values});
    int bytes = (shape.cols / 8 + 31) / 32 * 32;
    TileType bits = tile("uint8_t", {shape.rows, bytes, shape.validRows, (shape.validCols + 7) / 8});
    book.add("TSEL($0, $1, $2, $3, $4)", {values, bits, values, values, tile("uint32_t", {1, 32, 1, 32})});
    book.add("TSELS($0, $1, $2, $3, 3)", {values, bits, values, tile(element, {1, 32, 1, 32})});
    book.add("TTRI<@0, 1>($0, 0)", {values});
    book.add("TGATHER<@0, @1, MaskPattern::P0101>($0, $1)", {values, values});
    book.add("TGATHER($0, $1, $2, $3)", {values, values, tile("int32_t", shape), tile("int32_t", shape)});
    book.add("TSCATTER($0, $1, $2)", {values, values, tile("uint32_t", shape)});
  }
}

void interleaved(Book &book) {
  book.group = "interleaved";
  for (const Shape &shape : kShapes)
    for (const std::string element : {"float", "half", "int8_t"}) {
      if (shape.validCols % 2)
        continue;
      TileType values = tile(element, shape), half = values;
      half.validCols /= 2;
      book.add("TINTERLEAVE($0, $1, $2, $3)", {values, values, values, values});
      book.add("TDEINTERLEAVE($0, $1, $2, $3)", {values, values, values, values});
      book.add("TDEINTERLEAVE($0, $1, $2)", {half, half, values});
    }
}

/// Groups of 32 values with one exponent each.
void microscaling(Book &book) {
  book.group = "microscaling";
  for (const Shape &shape : {Shape{16, 128, 16, 128}, Shape{32, 256, 32, 256}, Shape{8, 64, 8, 64}, Shape{7, 96, 7, 96},
                             Shape{16, 128, 10, 64}})
    for (const std::string element : {"float", "bfloat16_t", "half"}) {
      int groups = shape.rows * shape.cols / 32;
      int room = (groups + 31) / 32 * 32; // no more than the library's own tests declare
      TileType exponents = tile("uint8_t", {1, room, 1, groups}), scales = tile(element, {1, room, 1, groups});
      book.add("TQUANT<QuantType::MXFP8>($0, $1, &$2, &$3, &$4)",
               {tile("float8_e4m3_t", shape), tile(element, shape), exponents, scales, scales});
      if (element == "half")
        continue;
      for (const std::string algorithm : {"OcpMxFp8E4M3", "NvMxFp8E4M3"})
        book.add("TQUANT<1, MxQuantAlg::" + algorithm + ">($0, $1, &$2, &$3, &$4)",
                 {tile("float8_e4m3_t", shape), tile(element, shape), exponents, scales, scales});
    }
}

void counts(Book &book) {
  book.group = "counts";
  for (const Shape &shape : kShapes) {
    TileType bins = tile("uint32_t", {shape.rows, 256, shape.validRows, 256});
    for (const std::string byte : {"BYTE_0", "BYTE_1"})
      book.add("THISTOGRAM<HistByte::" + byte + ">($0, $1, $2)",
               {bins, tile("uint16_t", shape), column("uint8_t", shape.validRows)});
    for (int filters : {0, 1, 2, 3})
      book.add("THISTOGRAM<HistByte::BYTE_" + std::to_string(3 - filters) + ">($0, $1, $2)",
               {bins, tile("uint32_t", shape),
                tile("uint8_t", {filters ? filters : 1, shape.cols, filters ? filters : 1, shape.cols})});
    book.add("TRandomKey key = {1, 2}; TRandomCounter counter = {1, 2, 3, 4}; TRANDOM($0, key, counter)",
             {tile("uint32_t", shape)});
    book.probes.back().instruction = "TRANDOM";
  }
}

} // namespace

void vectorA5(Book &book) {
  elementwiseA3(book);
  rowsA3(book);
  movesA3(book);
  mixedWidths(book);
  otherTypes(book);
  longIntegers(book);
  interleaved(book);
  counts(book);
  microscaling(book);
  book.probes.erase(std::remove_if(book.probes.begin(), book.probes.end(), refused), book.probes.end());
}

} // namespace probes
