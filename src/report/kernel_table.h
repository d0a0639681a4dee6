// A table over the kernels of a run of many, in the forms that a person, a spreadsheet and a program read.
//
//   rows, one a kernel --KernelTable--> text      eventful rows in columns, then what is said of all of them
//                                       JSON      {"schema", "tool", "command", "kernels": [row..], "summary": {..}}
//                                                 a row has the columns' keys, "page" where it has one, and "details"
//                                                 where there is more; a shard's table says which shard it is
//                                       CSV       RFC 4180, the column's key on top
//                                       HTML      one page, sorted by the column that is clicked; worst first before
//
// A cell that is not known is null: "-" for a person, empty in CSV. Rows come in the order in which they are given,
// which is that of the kernels on the command line. Nothing here knows a command: each names its own columns.
// Tested by tests/report/kernel_table_test.cpp, and in a browser by tests/scripts/html_page_test.sh.
#pragma once

#include "base/shard.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// The value of "schema" of a table; it changes when a reader of the old form could misread the new one.
inline constexpr int kTableSchema = 1;

/// How a cell is shown: a file's name; a whole number; one of which the most counts and not the sum; cycles as "61.1k";
/// two digits behind the point; words.
enum class ColumnKind : std::uint8_t { Name, Count, Most, Cycles, Ratio, Words };

struct TableColumn {
  std::string key;   // in JSON and CSV: "removed"
  std::string title; // for a person: "removed"
  ColumnKind kind = ColumnKind::Count;
};

struct TableRow {
  std::vector<nlohmann::ordered_json> cells; // one a column; null: not known
  std::string page;                          // the kernel's own page, from the table's; empty: it has none
  bool eventful = false;                     // false: nothing came of it, and text leaves it out
  nlohmann::ordered_json details = {};       // more of the kernel, for JSON alone; null: there is no more
};

struct KernelTable {
  std::string command, toolVersion;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  nlohmann::ordered_json summary = nlohmann::ordered_json::object(); // of all rows, for programs
  std::vector<std::string> lines;                                    // the same for a person
  /// Keys of columns by which the page is sorted at first: largest first, what is not known in front of that. Empty:
  /// the page has the order of the rows.
  std::vector<std::string> worstBy = {};
  bool written = false;               // `opt`, `fix`: kernels that change are written
  std::optional<Shard> shard = {};    // the rows are those of one shard; empty: of all kernels
  nlohmann::ordered_json totals = {}; // of a shard: what else its lines are made of, for `merge`; null: nothing
};

enum class TableForm : std::uint8_t { Text, Json, Csv, Html };

/// Returns the sum of the known cells of a column of numbers; 0 where there is no such column.
double sumOf(const KernelTable &table, std::string_view key);

/// Returns that sum as a whole number.
std::string sumText(const KernelTable &table, std::string_view key);

/// Returns the largest known cell of a column of numbers; 0 where there is none.
double mostOf(const KernelTable &table, std::string_view key);

/// Returns the row whose known cell of a column of numbers is the largest, and at least `least`; null if none is.
const TableRow *largestOf(const KernelTable &table, std::string_view key, double least);

/// Puts the sum of each column of numbers, or its largest cell, into the summary.
void addSums(KernelTable &table);

/// Returns the form that the end of a file name asks for: ".json", ".csv", ".html"; text for any other.
TableForm tableFormOf(const std::string &path);

/// Returns the eventful rows in columns, as text; empty if there is none.
std::string rowsText(const KernelTable &table);

/// Returns what is said of the whole table, as text.
std::string linesOf(const KernelTable &table);

/// Returns the table in one form; it ends with a newline. Bytes of names that are no UTF-8 are escaped.
std::string tableText(const KernelTable &table, TableForm form);

} // namespace ptosync
