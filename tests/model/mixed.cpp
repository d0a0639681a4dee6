// Operands of different widths: tiles of one valid region, but with rows of another length in each.
#include "book.h"

namespace probes {
namespace {

struct Pair {
  Shape result, source;
};
// Rows of the result longer, shorter; whole rows of the one, parts of the other; more and fewer rows; one row.
const std::vector<Pair> kPairs = {{{16, 128, 16, 40}, {16, 64, 16, 40}}, {{16, 64, 16, 64}, {16, 128, 16, 64}},
                                  {{16, 128, 16, 64}, {16, 64, 16, 64}}, {{16, 32, 16, 32}, {16, 64, 16, 32}},
                                  {{8, 256, 8, 100}, {12, 128, 8, 100}}, {{1, 256, 1, 130}, {4, 512, 1, 130}}};

} // namespace

void mixedWidths(Book &book) {
  book.group = "mixed";
  for (const Pair &pair : kPairs)
    for (const std::string element : {"float", "half"}) {
      TileType to = tile(element, pair.result), from = tile(element, pair.source);
      for (const std::string name : {"TADD", "TMUL", "TMAX"}) {
        book.add(name + "($0, $1, $2)", {to, from, from});
        book.add(name + "($0, $1, $2)", {to, to, from});
      }
      for (const std::string name : {"TADDS", "TMULS", "TMAXS", "TLRELU"})
        book.add(name + "($0, $1, 3)", {to, from});
      for (const std::string name : {"TEXP", "TSQRT", "TABS", "TRELU", "TRSQRT"})
        book.add(name + "($0, $1)", {to, from});
      std::string wider = element == "half" ? "float" : "half";
      book.add("TCVT($0, $1, RoundMode::CAST_RINT)", {tile(wider, pair.result), from});
      book.add("TROWEXPANDMUL($0, $1, $2)", {to, to, column(element, pair.result.validRows)});
      book.add("TROWEXPAND($0, $1)", {to, column(element, pair.result.validRows)});
      book.add("TCOLEXPANDMUL($0, $1, $2)", {to, to, row(element, pair.source)});
      book.add("TCOLEXPAND($0, $1)", {to, row(element, pair.source)});
      book.add("TCOLSUM($0, $1)", {row(element, pair.result), from});
      book.add("TROWMAX($0, $1, $2)", {column(element, pair.source.validRows), from, to});
      book.add("TROWSUM($0, $1, $2)", {column(element, pair.source.validRows), from, to});
      book.add("TPARTADD($0, $1, $2)", {to, from, to});
      int bytes = (pair.result.cols / 8 + 31) / 32 * 32;
      TileType bits =
          tile("uint8_t", {pair.result.rows, bytes, pair.result.validRows, (pair.result.validCols + 7) / 8});
      book.add("TCMP($0, $1, $2, CmpMode::GE)", {bits, from, to});
    }
}

} // namespace probes
