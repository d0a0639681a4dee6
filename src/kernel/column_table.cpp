#include "kernel/column_table.h"

#include <algorithm>

namespace ptosync {

std::string ColumnTable::format() const {
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::string blanks(widths[column] - row[column].size(), ' ');
      text += std::string(column == 0 ? indent : 2, ' ');
      text += columns[column] == Align::Right ? blanks + row[column] : row[column];
      if (columns[column] == Align::Left)
        text += blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1); // an empty last cell
    text += "\n";
  }
  return text;
}

} // namespace ptosync
