// Lays out rows of cells under one another, for the tables of textual reports.
//
// Every column is as wide as its widest cell; two blanks stand between columns.
// Tested by tests/kernel/column_table_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

class ColumnTable {
public:
  /// How a column is aligned: Left for text, Right for numbers, Plain for a last column that is printed as it is.
  enum class Align : std::uint8_t { Left, Right, Plain };

  /// Makes an empty table, with `indent` blanks in front of each row.
  ColumnTable(std::size_t indent, std::vector<Align> columns) : indent(indent), columns(std::move(columns)) {}

  /// Adds a row, with one cell for each column.
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  std::string format() const;

private:
  std::size_t indent;
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace ptosync
