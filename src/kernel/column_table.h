// Rows of cells under one another: what a textual report shows as a table.
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
  /// Left: text, filled up. Right: numbers. Plain: as it is, for a last column.
  enum class Align : std::uint8_t { Left, Right, Plain };

  /// `indent` blanks in front of each row.
  ColumnTable(std::size_t indent, std::vector<Align> columns) : indent(indent), columns(std::move(columns)) {}

  /// One cell a column.
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  std::string format() const;

private:
  std::size_t indent;
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace ptosync
