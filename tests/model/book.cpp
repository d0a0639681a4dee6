#include "book.h"

namespace probes {

TileType tile(const std::string &element, const Shape &shape) {
  TileType type;
  type.element = element;
  type.rows = shape.rows, type.cols = shape.cols, type.validRows = shape.validRows, type.validCols = shape.validCols;
  return type;
}

TileType at(std::string location, TileType type) {
  type.location = std::move(location);
  return type;
}

TileType column(const std::string &element, int rows) {
  int unit = static_cast<int>(32 / elementBytes(element));
  TileType type = tile(element, {(rows + unit - 1) / unit * unit, 1, rows, 1});
  type.block = "ColMajor";
  return type;
}

TileType blockColumn(const std::string &element, int rows) {
  return tile(element, {rows, static_cast<int>(32 / elementBytes(element)), rows, 1});
}

TileType row(const std::string &element, const Shape &shape) {
  return tile(element, {1, shape.cols, 1, shape.validCols});
}

TileType boxed(const std::string &location, const std::string &element, int rows, int cols) {
  TileType type = at(location, tile(element, {rows, cols, rows, cols}));
  type.block = location == "Left" || location == "Right" ? "RowMajor" : "ColMajor";
  type.inner = location == "Right" ? "ColMajor" : "RowMajor";
  type.fractal = location == "Acc" ? 1024 : 512;
  return type;
}

TileType linear(const std::string &location, const std::string &element, int cols) {
  return at(location, tile(element, {1, cols, 1, cols}));
}

TensorType matrix(const std::string &element, int rows, int cols, int stride) {
  std::int64_t row = stride ? stride : cols, all = row * rows;
  return {element, {1, 1, 1, rows, cols}, {all, all, all, row, 1}, "ND"};
}

void Book::add(std::string call, std::vector<TileType> tiles, std::vector<TensorType> tensors) {
  std::string instruction = call.substr(0, call.find_first_of("<("));
  bool divides =
      instruction == "TDIVS" || instruction == "TDIV" || instruction.rfind("TREM", 0) == 0 || instruction == "TRECIP";
  probes.push_back({group, instruction, std::move(call), std::move(tiles), std::move(tensors), divides});
}

void Book::same(const Types &names, int count, const Types &elements, const std::string &rest,
                const std::vector<Shape> &shapes) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(i);
  for (const std::string &name : names)
    for (const std::string &element : elements)
      for (const Shape &shape : element == elements.front() ? shapes : kFewShapes)
        add(name + "(" + list + rest + ")", std::vector<TileType>(count, tile(element, shape)));
}

} // namespace probes
