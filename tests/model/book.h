// Words for writing probes: tiles and tensors in few letters, and a book that collects them.
#pragma once

#include "probe.h"

namespace probes {

using Types = std::vector<std::string>;

struct Shape {
  int rows, cols, validRows, validCols;
};

// One repeat and less; sixteen and more; rows that end inside a repeat or a block; one row; long rows.
inline const std::vector<Shape> kShapes = {{1, 64, 1, 64},   {16, 64, 16, 64},   {32, 256, 32, 256}, {16, 64, 16, 20},
                                           {16, 64, 7, 64},  {8, 256, 8, 100},   {64, 128, 60, 40},  {16, 96, 16, 90},
                                           {1, 512, 1, 300}, {3, 1024, 3, 1000}, {16, 32, 16, 32},   {32, 32, 32, 17},
                                           {32, 32, 32, 32}, {4, 256, 4, 256}};

/// Enough for the element types after an instruction's first: a type may change the path, rarely the shape's part in
/// it.
inline const std::vector<Shape> kFewShapes = {kShapes[1], kShapes[3], kShapes[7], kShapes[8], kShapes[12]};

TileType tile(const std::string &element, const Shape &shape);
TileType at(std::string location, TileType type);
/// A column of one value a row, column-major; rows up to whole blocks.
TileType column(const std::string &element, int rows);
/// A column of one value a row, row-major: a block a row.
TileType blockColumn(const std::string &element, int rows);
/// One valid row of a tile's width.
TileType row(const std::string &element, const Shape &shape);
/// A fractal tile for a memory of the cube core.
TileType boxed(const std::string &location, const std::string &element, int rows, int cols);
/// One row in L1, the bias table or the fixpipe's table.
TileType linear(const std::string &location, const std::string &element, int cols);
TensorType matrix(const std::string &element, int rows, int cols, int stride = 0);

class Book {
public:
  std::vector<Probe> probes;
  std::string group;

  void add(std::string call, std::vector<TileType> tiles, std::vector<TensorType> tensors = {});
  /// `count` tiles of one type and shape; `rest` follows them in the call. `shapes` for the first element type, the few
  /// for the others.
  void same(const Types &names, int count, const Types &elements, const std::string &rest = "",
            const std::vector<Shape> &shapes = kShapes);
};

void elementwiseA3(Book &book);
void rowsA3(Book &book);
void movesA3(Book &book);
void cubeA3(Book &book);
/// What leaves the accumulator, on both.
void cubeResults(Book &book);
void mixedWidths(Book &book);
void templateFormsA3(Book &book);
void templateFormsA5(Book &book);
/// What speaks to other cores or ranks, on the vector core and on the cube core.
void betweenCoresA3(Book &book);
void betweenCoresA5(Book &book);
/// Calls of the probes in the book, with operands whose valid regions differ.
void unequalRegions(Book &book);
void vectorA5(Book &book);
void cubeA5(Book &book);

} // namespace probes
