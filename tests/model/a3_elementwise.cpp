// Instructions that work element by element.
#include "book.h"

namespace probes {
namespace {

const std::vector<Shape> &kFew = kFewShapes;

void withScalar(Book &book) {
  book.group = "scalar";
  book.same({"TADDS", "TSUBS", "TMULS", "TMAXS", "TMINS"}, 2, {"float", "half", "int32_t", "int16_t"}, ", 3");
  book.same({"TDIVS"}, 2, {"float", "half"}, ", 3");
  book.same({"TDIVS"}, 2, {"int32_t", "int16_t"}, ", 3", kFew);
  for (const Shape &shape : kFew)
    for (const char *element : {"float", "half", "int32_t"})
      book.add("TDIVS($0, 3, $1)", {tile(element, shape), tile(element, shape)});
  book.same({"TLRELU"}, 2, {"float", "half"}, ", 3");
  book.same({"TFMODS"}, 2, {"float"}, ", 3");
  book.same({"TAXPY"}, 2, {"float", "half"}, ", 3");
  book.same({"TANDS", "TORS"}, 2, {"int16_t"}, ", 3");
  book.same({"TSHLS", "TSHRS"}, 2, {"int32_t", "int16_t"}, ", 3");
  for (const Shape &shape : kShapes)
    book.add("TXORS($0, $1, 3, $2)", std::vector<TileType>(3, tile("int16_t", shape)));
  book.same({"TEXPANDS"}, 1, {"float", "half", "int32_t", "int16_t"}, ", 3");
}

void sequences(Book &book) {
  book.group = "sequences";
  for (const Shape &shape : {Shape{1, 64, 1, 64}, Shape{1, 512, 1, 300}})
    for (const std::string element : {"int32_t", "int16_t"}) {
      book.add("TCI<@0, " + element + ", 0>($0, 3)", {tile(element, shape)});
      book.add("TCI<@0, @1, " + element + ", 0>($0, 3, $1)", {tile(element, shape), tile("float", {1, 1024, 1, 1024})});
    }
  for (const Shape &shape : kFew)
    for (const char *element : {"float", "half", "int32_t"})
      for (const char *half : {"0", "1"})
        book.add("TTRI<@0, " + std::string(half) + ">($0, 0)", {tile(element, shape)});
}

} // namespace

void elementwiseA3(Book &book) {
  book.group = "elementwise";
  book.same({"TADD", "TSUB", "TMUL", "TMAX", "TMIN"}, 3, {"float", "half", "int32_t", "int16_t"});
  book.same({"TDIV"}, 3, {"float", "half"});
  book.same({"TAND", "TOR"}, 3, {"int16_t"});
  book.same({"TXOR"}, 4, {"int16_t"});
  book.same({"TSHL", "TSHR"}, 3, {"int32_t", "int16_t"}, "", kFew);
  book.same({"TSUBRELU", "TFUSEDMULADD", "TFUSEDMULADDRELU", "TMULADDDST"}, 3, {"float", "half"});
  book.group = "unary";
  book.same({"TEXP", "TLOG", "TSQRT", "TRSQRT", "TABS", "TNEG"}, 2, {"float", "half"});
  book.same({"TRELU"}, 2, {"float", "half", "int32_t"});
  book.same({"TRECIP"}, 2, {"float", "half"});
  book.same({"TNOT"}, 2, {"int16_t"});
  book.same({"TFMOD"}, 3, {"float"});
  book.same({"TRSQRT"}, 3, {"float", "half"}, "", kFew);
  withScalar(book);
  sequences(book);
}

} // namespace probes
