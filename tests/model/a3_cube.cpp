// The cube core: loads into L1, moves to the multiplier's memories, products, stores from the accumulator.
#include "book.h"

#include <array>

namespace probes {
namespace {

TileType accumulator(const std::string &element, int rows, int cols) { return boxed("Acc", element, rows, cols); }

void products(Book &book) {
  book.group = "cube_products";
  for (auto [rows, depth, cols] : {std::array{16, 64, 32}, std::array{64, 32, 128}, std::array{32, 128, 16}})
    for (const std::string element : {"half", "float", "int8_t"}) {
      std::string sum = element == "int8_t" ? "int32_t" : "float";
      TileType left = boxed("Left", element, rows, depth), right = boxed("Right", element, depth, cols),
               result = accumulator(sum, rows, cols);
      book.add("TMATMUL($0, $1, $2)", {result, left, right});
      book.add("TMATMUL_ACC($0, $0, $1, $2)", {result, left, right});
      book.add("TMATMUL_ACC($0, $1, $2)", {result, left, right});
      TileType bias = linear("Bias", sum, cols);
      book.add("TMATMUL_BIAS($0, $1, $2, $3)", {result, left, right, bias});
      left.validRows -= 3, result.validRows -= 3;
      book.add("TMATMUL($0, $1, $2)", {result, left, right});
    }
}

void moves(Book &book) {
  book.group = "cube_loads";
  for (const std::string element : {"half", "float", "int8_t"}) {
    TileType source = boxed("Mat", element, 64, 64);
    book.add("TMOV($0, $1)", {boxed("Left", element, 64, 64), source});
    book.add("TMOV($0, $1)", {boxed("Right", element, 64, 64), source});
    book.add("TEXTRACT($0, $1, 16, 32)", {boxed("Left", element, 16, 32), source});
    book.add("TEXTRACT($0, $1, 32, 32)", {boxed("Right", element, 32, 32), source});
    for (int stride : {0, 256})
      book.add("TLOAD($0, %0)", {source}, {matrix(element, 64, 64, stride ? stride : 64)});
    TileType ragged = source;
    ragged.validRows = 50, ragged.validCols = 40;
    book.add("TLOAD($0, %0)", {ragged}, {matrix(element, 50, 40, 64)});
    book.add("TEXPANDS($0, 3)", {source});
  }
  book.add("TMOV($0, $1)", {linear("Bias", "float", 64), linear("Mat", "float", 64)});
  book.add("TMOV($0, $1)", {linear("Bias", "int32_t", 64), linear("Mat", "int32_t", 64)});
  book.add("TMOV($0, $1)", {linear("Scaling", "uint64_t", 64), linear("Mat", "uint64_t", 64)});
}

} // namespace

void cubeResults(Book &book) {
  book.group = "cube_results";
  for (auto [rows, cols] : {std::array{64, 64}, std::array{32, 128}}) {
    TileType sum = accumulator("float", rows, cols);
    for (const std::string element : {"float", "half", "bfloat16_t"}) {
      book.add("TSTORE(%0, $0)", {sum}, {matrix(element, rows, cols, cols * 2)});
      TileType ragged = sum;
      ragged.validRows = rows - 7, ragged.validCols = cols - 16;
      book.add("TSTORE(%0, $0)", {ragged}, {matrix(element, rows - 7, cols - 16, cols)});
    }
    book.add("TSTORE(%0, $0)", {accumulator("int32_t", rows, cols)}, {matrix("int32_t", rows, cols)});
    book.add("TSTORE<@0, decltype(%0), AtomicType::AtomicAdd>(%0, $0)", {sum}, {matrix("float", rows, cols)});
    TileType half = boxed("Mat", "half", rows, cols), bytes = boxed("Mat", "int8_t", rows, cols);
    TileType table = linear("Scaling", "uint64_t", cols);
    book.add("TMOV($0, $1)", {half, sum});
    book.add("TEXTRACT($0, $1, 16, 16)", {boxed("Mat", "half", 16, 32), sum});
    book.add("TINSERT($0, $1, 0, 16)", {boxed("Mat", "half", rows, cols + 32), sum});
    book.add("TMOV<@0, @1>($0, $1, 3ul)", {bytes, accumulator("int32_t", rows, cols)});
    book.add("TMOV_FP<@0, @1, @2>($0, $1, $2)", {bytes, accumulator("int32_t", rows, cols), table});
    book.add("TEXTRACT<@0, @1>($0, $1, 3ul, 0, 0)", {bytes, accumulator("int32_t", rows, cols)});
    book.add("TEXTRACT_FP<@0, @1, @2>($0, $1, $2, 0, 0)", {bytes, accumulator("int32_t", rows, cols), table});
    book.add("TINSERT<@0, @1>($0, $1, 3ul, 0, 0)", {bytes, accumulator("int32_t", rows, cols)});
    book.add("TINSERT_FP<@0, @1, @2>($0, $1, $2, 0, 0)", {bytes, accumulator("int32_t", rows, cols), table});
    book.add("TSTORE_FP<@0, decltype(%0), @1>(%0, $0, $1)", {accumulator("int32_t", rows, cols), table},
             {matrix("int8_t", rows, cols)});
  }
}

void cubeA3(Book &book) {
  products(book);
  moves(book);
  cubeResults(book);
}

} // namespace probes
