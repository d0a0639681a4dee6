// Reductions to rows and columns, broadcasts of them, comparisons and selections.
#include "book.h"

namespace probes {
namespace {

// Rows of 65 to 127 elements take a path of their own; so do rows of one repeat and of several.
const std::vector<Shape> kRowShapes = {{16, 64, 16, 64},   {16, 128, 16, 100},  {8, 256, 8, 256},  {32, 128, 32, 128},
                                       {16, 64, 16, 20},   {7, 256, 7, 200},    {64, 128, 60, 40}, {1, 512, 1, 300},
                                       {3, 1024, 3, 1000}, {16, 32, 16, 32},    {64, 64, 64, 64},  {4, 256, 4, 256},
                                       {2, 3072, 2, 3000}, {1, 16384, 1, 16384}};

void reductions(Book &book) {
  book.group = "row_reductions";
  for (const char *name : {"TROWSUM", "TROWMAX", "TROWMIN", "TROWPROD"})
    for (const char *element : {"float", "half", "int32_t", "int16_t"})
      for (const Shape &shape : kRowShapes) {
        if (std::string(element).substr(0, 3) == "int" && (shape.rows > 16 || shape.cols > 256))
          continue; // one by one
        std::string call = std::string(name) + "($0, $1, $2)";
        TileType source = tile(element, shape);
        book.add(call, {column(element, shape.validRows), source, source});
        // The smallest scratch: one repeat a row, one block a row.
        int block = static_cast<int>(32 / elementBytes(element));
        for (int width : {block * 8, block})
          if (width < shape.cols)
            book.add(call, {blockColumn(element, shape.validRows), source,
                            tile(element, {shape.rows, width, shape.rows, width})});
      }
  book.group = "row_indices";
  for (const char *name : {"TROWARGMAX", "TROWARGMIN"})
    for (const char *element : {"float", "half"})
      for (const Shape &shape : kRowShapes) {
        TileType source = tile(element, shape);
        book.add(std::string(name) + "($0, $1, $2)", {column("uint32_t", shape.validRows), source, source});
        std::string same = elementBytes(element) == 2 ? "int16_t" : "int32_t";
        book.add(std::string(name) + "($0, $1, $2, $3)",
                 {column(element, shape.validRows), column(same, shape.validRows), source, source});
      }
}

void columns(Book &book) {
  book.group = "columns";
  for (const Shape &shape : kShapes) {
    for (const char *name : {"TCOLSUM", "TCOLMAX", "TCOLMIN", "TCOLPROD"})
      for (const char *element : {"float", "half"})
        book.add(std::string(name) + "($0, $1)", {row(element, shape), tile(element, shape)});
    for (const char *element : {"float", "half"}) {
      for (const char *binary : {"true", "false"})
        book.add(std::string("TCOLSUM($0, $1, $2, ") + binary + ")",
                 {row(element, shape), tile(element, shape), tile(element, shape)});
      for (const char *name : {"TCOLARGMAX", "TCOLARGMIN"}) {
        book.add(std::string(name) + "($0, $1, $2)",
                 {row("int32_t", shape), tile(element, shape), tile(element, {1, 4096, 1, 4096})});
        std::string same = elementBytes(element) == 2 ? "int16_t" : "int32_t";
        book.add(std::string(name) + "($0, $1, $2, $3)",
                 {row(element, shape), row(same, shape), tile(element, shape), tile(element, {1, 4096, 1, 4096})});
      }
      for (const char *name : {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF"})
        book.add(std::string("TCOLEXPAND") + name + "($0, $1, $2)",
                 {tile(element, shape), tile(element, shape), row(element, shape)});
    }
    for (const char *element : {"float", "half"})
      book.add("TCOLEXPAND($0, $1)", {tile(element, shape), row(element, shape)});
  }
}

void broadcasts(Book &book) {
  book.group = "row_broadcasts";
  for (const Shape &shape : kShapes)
    for (const char *element : {"float", "half"}) {
      book.add("TROWEXPAND($0, $1)", {tile(element, shape), blockColumn(element, shape.validRows)});
      book.add("TROWEXPAND($0, $1)", {tile(element, shape), column(element, shape.validRows)});
    }
  for (const char *name : {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF"})
    for (const char *element : {"float", "half"})
      for (const Shape &shape : std::string(element) == "float" ? kShapes : kFewShapes) {
        std::string call = std::string("TROWEXPAND") + name;
        TileType big = tile(element, shape);
        int block = static_cast<int>(32 / elementBytes(element));
        book.add(call + "($0, $1, $2)", {big, big, tile(element, {shape.rows, block, shape.validRows, block})});
        book.add(call + "($0, $1, $2)", {big, big, column(element, shape.validRows)});
        book.add(call + "($0, $1, $2)", {big, column(element, shape.validRows), big});
        book.add(call + "($0, $1, $2, $3)",
                 {big, big, column(element, shape.validRows), tile(element, {shape.rows, block, shape.rows, block})});
      }
}

void comparisons(Book &book) {
  book.group = "comparisons";
  for (const Shape &shape : kShapes) {
    // One bit an element, rows up to whole blocks.
    int bytes = (shape.cols / 8 + 31) / 32 * 32;
    TileType bits = tile("uint8_t", {shape.rows, bytes, shape.validRows, (shape.validCols + 7) / 8});
    TileType wide = bits; // rows of more than the block that a footprint is rounded up to
    wide.cols *= 2;
    for (const char *element : {"float", "half"}) {
      book.add("TCMP($0, $1, $2, CmpMode::NE)", {wide, tile(element, shape), tile(element, shape)});
      book.add("TCMPS($0, $1, 3, CmpMode::NE)", {wide, tile(element, shape)});
    }
    for (const char *mode : {"EQ", "NE", "LT", "GE"})
      for (const char *element : {"float", "half", "int32_t"}) {
        std::string rest = std::string(", CmpMode::") + mode + ")";
        book.add("TCMP($0, $1, $2" + rest, {bits, tile(element, shape), tile(element, shape)});
        book.add("TCMPS($0, $1, 3" + rest, {bits, tile(element, shape)});
        if (std::string(mode) == "NE")
          book.add("TCMPS($0, $1, $2" + rest, {bits, tile(element, shape), tile(element, {1, 32, 1, 1})});
      }
    for (const char *element : {"float", "half"}) {
      TileType values = tile(element, shape);
      book.add("TSEL($0, $1, $2, $3, $4)", {values, bits, values, values, tile("uint32_t", {1, 32, 1, 32})});
      book.add("TSELS($0, $1, $2, $3, 3)", {values, bits, values, tile(element, {1, 32, 1, 32})});
    }
  }
}

void partial(Book &book) {
  book.group = "partial";
  for (const Shape &shape : kShapes) {
    Shape less = {shape.rows, shape.cols, shape.validRows > 1 ? shape.validRows - 1 : 1, shape.validCols};
    for (const char *element : {"float", "half"})
      for (const char *name : {"TPARTADD", "TPARTMUL", "TPARTMAX", "TPARTMIN"}) {
        book.add(std::string(name) + "($0, $1, $2)",
                 {tile(element, shape), tile(element, shape), tile(element, shape)});
        book.add(std::string(name) + "($0, $1, $2)", {tile(element, shape), tile(element, shape), tile(element, less)});
      }
    for (const char *name : {"TPARTARGMAX", "TPARTARGMIN"})
      for (const char *element : {"float", "half"}) {
        std::string index = elementBytes(element) == 4 ? "int32_t" : "int16_t";
        for (const Shape &second : {shape, less})
          book.add(std::string(name) + "($0, $1, $2, $3, $4, $5)",
                   {tile(element, shape), tile(element, shape), tile(element, second), tile(index, shape),
                    tile(index, shape), tile(index, second)});
      }
    for (const char *element : {"float", "half"})
      book.add("TPAIRREDUCESUM($0, $1)", {tile(element, shape), tile(element, shape)});
  }
}

void undemanding(Book &book) {
  book.group = "undemanding"; // what it demands of its scratch, the comparison inside it refuses
  for (const Shape &shape : kShapes)
    for (const char *element : {"float", "half"}) {
      int bytes = (shape.cols / 8 + 31) / 32 * 32;
      TileType values = tile(element, shape);
      book.add("TPRELU($0, $1, $2, $3)",
               {values, values, values, tile("uint8_t", {shape.rows + 1, bytes, shape.validRows + 1, bytes})});
    }
}

} // namespace

void rowsA3(Book &book) {
  reductions(book);
  columns(book);
  broadcasts(book);
  comparisons(book);
  partial(book);
  undemanding(book);
}

} // namespace probes
