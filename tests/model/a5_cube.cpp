// The a5's cube core: loads into L1, moves to the multiplier's memories and tables, products, what leaves the
// accumulator; and what the vector core moves to L1. The left operand lies in columns of fractals, not in rows as on
// the a3.
#include "book.h"

#include <array>

namespace probes {
namespace {

TileType leftA5(const std::string &element, int rows, int cols) {
  TileType tile = boxed("Left", element, rows, cols);
  tile.block = "ColMajor";
  return tile;
}

void productsA5(Book &book) {
  book.group = "cube_products";
  for (auto [rows, depth, cols] : {std::array{16, 64, 32}, std::array{64, 32, 128}, std::array{32, 128, 16}})
    for (const std::string element : {"half", "float", "int8_t"}) {
      std::string sum = element == "int8_t" ? "int32_t" : "float";
      TileType left = leftA5(element, rows, depth), right = boxed("Right", element, depth, cols),
               result = boxed("Acc", sum, rows, cols);
      book.add("TMATMUL($0, $1, $2)", {result, left, right});
      book.add("TMATMUL_ACC($0, $0, $1, $2)", {result, left, right});
      book.add("TMATMUL_ACC($0, $1, $2)", {result, left, right});
      book.add("TMATMUL_BIAS($0, $1, $2, $3)", {result, left, right, linear("Bias", sum, cols)});
      left.validRows -= 3, result.validRows -= 3;
      book.add("TMATMUL($0, $1, $2)", {result, left, right});
    }
}

void loadsA5(Book &book) {
  book.group = "cube_loads";
  for (const std::string element : {"half", "float", "int8_t"}) {
    TileType source = boxed("Mat", element, 64, 64);
    book.add("TMOV($0, $1)", {leftA5(element, 64, 64), source});
    TileType turned = source; // what the right operand takes without being turned
    turned.block = "RowMajor", turned.inner = "ColMajor";
    book.add("TMOV($0, $1)", {boxed("Right", element, 64, 64), turned});
    book.add("TEXTRACT($0, $1, 16, 32)", {leftA5(element, 16, 32), source});
    book.add("TEXTRACT($0, $1, 32, 32)", {boxed("Right", element, 32, 32), turned});
    for (int stride : {64, 256})
      book.add("TLOAD($0, %0)", {source}, {matrix(element, 64, 64, stride)});
    TileType ragged = source;
    ragged.validRows = 50, ragged.validCols = 40;
    book.add("TLOAD($0, %0)", {ragged}, {matrix(element, 50, 40, 64)});
    book.add("TEXPANDS($0, 3)", {source});
  }
  for (const std::string element : {"float", "int32_t"})
    book.add("TMOV($0, $1)", {linear("Bias", element, 64), linear("Mat", element, 64)});
  book.add("TMOV($0, $1)", {linear("Bias", "float", 64), linear("Mat", "half", 64)});
  book.add("TMOV($0, $1)", {linear("Scaling", "uint64_t", 64), linear("Mat", "uint64_t", 64)});
}

/// From UB to L1, in columns of fractals: the vector core's work.
void toMatrices(Book &book) {
  book.group = "to_matrices";
  for (const std::string element : {"float", "half", "int8_t"})
    for (auto [rows, cols] : {std::array{64, 64}, std::array{32, 128}}) {
      TileType from = boxed("Vec", element, rows, cols);
      book.add("TMOV($0, $1)", {boxed("Mat", element, rows, cols), from});
      book.add("TINSERT($0, $1, 16, 32)", {boxed("Mat", element, rows + 32, cols + 64), from});
      book.add("TEXTRACT($0, $1, 16, 32)", {boxed("Mat", element, 16, 32), from});
    }
}

/// From the accumulator straight to UB.
void toVectors(Book &book) {
  book.group = "cube_vectors";
  for (auto [rows, cols] : {std::array{64, 64}, std::array{32, 128}}) {
    TileType sum = boxed("Acc", "float", rows, cols);
    for (const std::string element : {"float", "half"}) {
      book.add("TMOV($0, $1)", {tile(element, {rows, cols, rows, cols}), sum});
      TileType ragged = sum;
      ragged.validRows = rows - 7, ragged.validCols = cols - 16;
      book.add("TMOV($0, $1)", {tile(element, {rows, cols, rows - 7, cols - 16}), ragged});
      book.add("TEXTRACT($0, $1, 16, 16)", {tile(element, {16, 32, 16, 32}), sum});
    }
  }
}

} // namespace

void cubeA5(Book &book) {
  productsA5(book);
  loadsA5(book);
  cubeResults(book);
  toVectors(book);
  toMatrices(book);
}

} // namespace probes
