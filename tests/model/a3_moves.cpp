// Conversions, copies, gathers, scatters, sorts, remainders and powers, quantisation; loads and stores of vector tiles.
#include "book.h"

namespace probes {
namespace {

const std::vector<Shape> &kFew = kFewShapes;

void conversions(Book &book) {
  book.group = "conversions";
  const std::vector<std::pair<const char *, const char *>> pairs = {
      {"half", "float"},    {"float", "half"},      {"int32_t", "float"},     {"float", "int32_t"},
      {"int16_t", "float"}, {"float", "int16_t"},   {"bfloat16_t", "float"},  {"float", "bfloat16_t"},
      {"int8_t", "half"},   {"uint8_t", "half"},    {"half", "int8_t"},       {"half", "uint8_t"},
      {"int32_t", "half"},  {"half", "int16_t"},    {"int16_t", "half"},      {"int64_t", "float"},
      {"float", "int64_t"}, {"int64_t", "int32_t"}, {"int32_t", "int64_t"},   {"int16_t", "int32_t"},
      {"float", "float"},   {"half", "int32_t"},    {"int32_t", "bfloat16_t"}};
  for (const auto &[to, from] : pairs)
    for (const Shape &shape : to == pairs.front().first ? kShapes : kFew) {
      book.add("TCVT($0, $1, RoundMode::CAST_RINT)", {tile(to, shape), tile(from, shape)});
      book.add("TCVT($0, $1, RoundMode::CAST_TRUNC, SaturationMode::OFF)", {tile(to, shape), tile(from, shape)});
    }
  for (const Shape &shape : {Shape{16, 128, 16, 128}, Shape{16, 128, 10, 50}})
    book.add("TCVT($0, $1, $2, RoundMode::CAST_TRUNC, SaturationMode::OFF)",
             {tile("int8_t", shape), tile("half", shape),
              tile("int32_t", {shape.rows, shape.cols, shape.rows, shape.cols})});
}

void arithmetic(Book &book) {
  book.group = "remainders";
  for (const Shape &shape : kShapes) {
    TileType values = tile("float", shape), whole = tile("int32_t", shape);
    // What the documentation asks of the scratch: a row of the destination and two bits an element.
    int width = (shape.cols + (shape.cols + 255) / 256 * 2 + 7) / 8 * 8;
    book.add("TREM($0, $1, $2, $3)", {values, values, values, tile("float", {1, width, 1, width})});
    book.add("TREM($0, $1, $2, $3)", {whole, whole, whole, tile("int32_t", {1, width, 1, width})});
    book.add("TREMS($0, $1, 3, $2)", {values, values, tile("float", {1, shape.cols, 1, shape.cols})});
    book.add("TREMS($0, $1, 3, $2)", {whole, whole, tile("int32_t", {1, shape.cols, 1, shape.cols})});
    book.add("TADDRELUCONV($0, $1, $2)", {tile("half", shape), values, values});
    book.add("TSUBRELUCONV($0, $1, $2)", {tile("half", shape), values, values});
    book.add("TADDDEQRELU($0, $1, $2, 2.0f, $3)", {tile("half", shape), whole, whole, whole});
  }
  for (const Shape &shape : kFew) {
    for (const char *element : {"float", "int32_t"}) {
      TileType values = tile(element, shape);
      book.add("TPOW($0, $1, $2, $3)", {values, values, values, values});
      book.add("TPOWS($0, $1, 3, $2)", {values, values, values});
    }
    TileType scale = column("float", shape.validRows);
    for (const char *element : {"int8_t", "int16_t"})
      book.add("TDEQUANT($0, $1, $2, $3)", {tile("float", shape), tile(element, shape), scale, scale});
    TileType bytes = tile("int8_t", shape), values = tile("float", shape), scratch = tile("float", shape);
    book.add("TQUANT<QuantType::INT8_SYM>($0, $1, $2, $3)", {bytes, values, scale, scratch});
    book.add("TQUANT<QuantType::INT8_ASYM>($0, $1, $2, $3, &$4)",
             {tile("uint8_t", shape), values, scale, scratch, scale});
  }
}

void copies(Book &book) {
  book.group = "copies";
  for (const Shape &shape : kShapes) {
    bool scalar = shape.rows * shape.cols > 2048; // bytes go one by one there
    for (const char *element : {"float", "half", "int8_t"}) {
      if (scalar && std::string(element) == "int8_t")
        continue;
      book.add("TMOV($0, $1)", {tile(element, shape), tile(element, shape)});
      TileType padded = tile(element, shape);
      padded.pad = "Zero";
      padded.validRows = padded.rows, padded.validCols = padded.cols;
      book.add("TFILLPAD($0, $1)", {padded, tile(element, shape)});
      book.add("TFILLPAD_INPLACE($0, $1)", {padded, tile(element, shape)});
      TileType more = padded;
      more.cols = more.validCols = shape.cols + 64;
      book.add("TFILLPAD_EXPAND($0, $1)", {more, tile(element, shape)});
    }
    for (const char *element : {"float", "half"}) {
      TileType twice = tile(element, {shape.rows, shape.cols * 2, shape.validRows, shape.validCols * 2});
      book.add("TCONCAT($0, $1, $2)", {twice, tile(element, shape), tile(element, shape)});
      // The forms with counts in tiles go as far as the data says: not run.
    }
  }
  for (const char *element : {"float", "half", "int8_t"}) {
    TileType big = tile(element, {16, 128, 16, 128});
    int unit = static_cast<int>(32 / elementBytes(element));
    for (const Shape &part : {Shape{8, 64, 8, 64}, Shape{8, 64, 8, 34}, Shape{1, unit, 1, 1}}) {
      book.add("TEXTRACT($0, $1, 4, 32)", {tile(element, part), big});
      book.add("TINSERT($0, $1, 4, 32)", {big, tile(element, part)});
    }
  }
  book.group = "transposes";
  for (const char *element : {"float", "half", "int8_t"})
    for (const Shape &shape :
         {Shape{32, 64, 32, 64}, Shape{64, 32, 64, 32}, Shape{32, 64, 20, 50}, Shape{64, 64, 64, 40},
          Shape{32, 32, 7, 5}, Shape{8, 128, 8, 128}, Shape{16, 64, 16, 64}}) {
      if (shape.rows * elementBytes(element) < 32)
        continue; // rows are whole blocks
      TileType turned = tile(element, {shape.cols, shape.rows, shape.validCols, shape.validRows});
      book.add("TTRANS($0, $1, $2)", {turned, tile(element, shape), turned});
    }
}

void gathers(Book &book) {
  book.group = "gathers";
  for (const Shape &shape : kShapes)
    for (const char *element : {"float", "half"}) {
      TileType values = tile(element, shape), index = tile("int32_t", shape);
      book.add("TGATHER($0, $1, $2, $3)", {values, values, index, index});
      book.add("TGATHERB($0, $1, $2)",
               {values, values,
                tile("uint32_t", {shape.rows, (shape.cols + 7) / 8 * 8, shape.validRows, (shape.cols + 7) / 8})});
      std::string unsignedIndex = elementBytes(element) == 4 ? "uint32_t" : "uint16_t";
      book.add("TSCATTER($0, $1, $2)", {values, values, tile(unsignedIndex, shape)});
      for (const char *pattern : {"P0101", "P0001", "P1111"}) {
        std::string mask = std::string("MaskPattern::") + pattern;
        book.add("TGATHER<@0, @1, " + mask + ">($0, $1)", {values, values});
      }
    }
  for (const char *element : {"float", "half"}) {
    int wide = elementBytes(element) == 4 ? 2 : 4; // a pair has eight bytes
    for (int cols : {64, 256, 96}) {
      TileType pairs = tile(element, {4, cols * wide, 4, cols * wide});
      book.add("TSORT32($0, $1, $2)", {pairs, tile(element, {4, cols, 4, cols}), tile("uint32_t", {4, cols, 4, cols})});
      book.add("TSORT32($0, $1, $2, $3)",
               {pairs, tile(element, {4, cols, 4, cols - 5}), tile("uint32_t", {4, cols, 4, cols - 5}),
                tile(element, {1, cols, 1, cols})});
    }
    TileType list = tile(element, {1, 256, 1, 256}), merged = tile(element, {1, 1024, 1, 1024});
    book.add("TMRGSORT($0, $1, 64)", {list, list});
    for (const char *exhausted : {"false", "true"}) {
      std::string flag = exhausted;
      book.add("MrgSortExecutedNumList done; TMRGSORT<@0, @1, @2, @3, " + flag + ">($0, done, $1, $2, $3)",
               {merged, merged, list, list});
      book.add("MrgSortExecutedNumList done; TMRGSORT<@0, @1, @2, @3, @4, " + flag + ">($0, done, $1, $2, $3, $4)",
               {merged, merged, list, list, list});
      book.add("MrgSortExecutedNumList done; TMRGSORT<@0, @1, @2, @3, @4, @5, " + flag +
                   ">($0, done, $1, $2, $3, $4, $5)",
               {merged, merged, list, list, list, list});
    }
  }
  for (Probe &probe : book.probes)
    if (probe.call.rfind("MrgSort", 0) == 0)
      probe.instruction = "TMRGSORT";
}

void masks(Book &book) {
  book.group = "undemanding"; // their demands do not compile
  for (const Shape &shape : kFew)
    for (const char *element : {"float", "half"})
      for (auto [pattern, times] : {std::pair{"P0101", 2}, std::pair{"P0001", 4}, std::pair{"P1111", 1}}) {
        TileType wide = tile(element, {shape.rows, shape.cols * times, shape.validRows, shape.validCols * times});
        book.add(std::string("TSCATTER<MaskPattern::") + pattern + ">($0, $1)", {wide, tile(element, shape)});
      }
}

void memory(Book &book) {
  book.group = "memory";
  for (const Shape &shape : kShapes)
    for (const char *element : {"float", "half", "int8_t"})
      for (int stride : {0, shape.cols * 4}) {
        TensorType global = matrix(element, shape.validRows, shape.validCols, stride ? stride : shape.validCols);
        book.add("TLOAD($0, %0)", {tile(element, shape)}, {global});
        book.add("TSTORE(%0, $0)", {tile(element, shape)}, {global});
        TileType padded = tile(element, shape);
        padded.pad = "Zero";
        book.add("TLOAD($0, %0)", {padded}, {global});
        if (std::string(element) != "int8_t")
          book.add("TSTORE<@0, decltype(%0), AtomicType::AtomicAdd>(%0, $0)", {tile(element, shape)}, {global});
      }
  for (const char *element : {"float", "half"}) {
    // Planes of rows: outer dimensions and columns.
    TensorType planes{element, {1, 1, 2, 8, 64}, {4096, 4096, 2048, 128, 1}, "ND"};
    book.add("TLOAD($0, %0)", {tile(element, {16, 64, 16, 64})}, {planes});
    book.add("TSTORE(%0, $0)", {tile(element, {16, 64, 16, 64})}, {planes});
    TensorType columns{element, {1, 1, 1, 64, 5}, {4096, 4096, 4096, 1, 64}, "DN"};
    TileType turned = tile(element, {64, 8, 64, 5});
    turned.block = "ColMajor";
    book.add("TLOAD($0, %0)", {turned}, {columns});
    book.add("TSTORE(%0, $0)", {turned}, {columns});
    book.add("TPREFETCH($0, %0)", {tile(element, {16, 64, 16, 64})}, {matrix(element, 16, 64)});
    for (const char *mode : {"Row", "Elem"}) {
      bool byRow = std::string(mode) == "Row";
      TileType index = byRow ? tile("int32_t", {1, 16, 1, 16}) : tile("int32_t", {16, 64, 16, 64});
      std::string coalesce = std::string("<Coalesce::") + mode + ">";
      book.add("MGATHER" + coalesce + "($0, %0, $1)", {tile(element, {16, 64, 16, 64}), index},
               {matrix(element, 32, 64)});
      book.add("MSCATTER" + coalesce + "(%0, $0, $1)", {tile(element, {16, 64, 16, 64}), index},
               {matrix(element, 32, 64)});
    }
  }
}

} // namespace

void movesA3(Book &book) {
  conversions(book);
  arithmetic(book);
  copies(book);
  gathers(book);
  masks(book);
  memory(book);
}

} // namespace probes
