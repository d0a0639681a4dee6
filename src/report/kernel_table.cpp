#include "report/kernel_table.h"

#include "base/messages.h"
#include "kernel/column_table.h"
#include "report/html_report.h"
#include "timing/cost_report.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

bool isText(ColumnKind kind) { return kind == ColumnKind::Name || kind == ColumnKind::Words; }

std::string shown(const Json &cell, ColumnKind kind) {
  if (cell.is_null())
    return "-";
  if (cell.is_string())
    return printable(cell.get<std::string>());
  if (kind == ColumnKind::Cycles)
    return cyclesText(cell.get<double>());
  if (kind == ColumnKind::Ratio) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", cell.get<double>());
    return text;
  }
  return cell.dump();
}

} // namespace

std::string rowsText(const KernelTable &table) {
  std::vector<ColumnTable::Align> alignments;
  std::vector<std::string> titles;
  titles.reserve(table.columns.size());
  for (const TableColumn &column : table.columns) {
    const bool last = &column == &table.columns.back();
    alignments.push_back(!isText(column.kind) ? ColumnTable::Align::Right
                         : last               ? ColumnTable::Align::Plain
                                              : ColumnTable::Align::Left);
    titles.push_back(column.title);
  }
  ColumnTable columns(0, alignments);
  columns.add(titles);
  bool any = false;
  for (const TableRow &row : table.rows) {
    if (!row.eventful)
      continue;
    any = true;
    std::vector<std::string> cells;
    cells.reserve(row.cells.size());
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cells.push_back(
          isText(table.columns[i].kind) && row.cells[i].is_null() ? "" : shown(row.cells[i], table.columns[i].kind));
    columns.add(cells);
  }
  return any ? columns.format() : "";
}

namespace {

std::string plainText(const KernelTable &table) {
  const std::string rows = rowsText(table);
  return (rows.empty() ? "" : rows + "\n") + linesOf(table);
}

/// Bytes of names that are no UTF-8 are escaped, since JSON can't hold them.
Json safeCell(const Json &cell) { return cell.is_string() ? Json(validUtf8(cell.get<std::string>())) : cell; }

std::string jsonText(const KernelTable &table) {
  Json rows = Json::array();
  for (const TableRow &row : table.rows) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      entry[table.columns[i].key] = safeCell(row.cells[i]);
    if (!row.page.empty())
      entry["page"] = validUtf8(row.page);
    if (!row.details.is_null())
      entry["details"] = row.details;
    rows.push_back(std::move(entry));
  }
  Json json = {{"schema", kTableSchema}, {"tool", "ptosync " + table.toolVersion}, {"command", table.command}};
  if (table.written)
    json["written"] = true;
  if (table.shard)
    json["shard"] = shardJson(*table.shard);
  if (table.shard && !table.totals.is_null())
    json["totals"] = table.totals;
  json["kernels"] = std::move(rows);
  json["summary"] = table.summary;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csvText(const KernelTable &table) {
  std::string text;
  for (const TableColumn &column : table.columns)
    text += (text.empty() ? "" : ",") + csvField(column.key);
  text += "\n";
  for (const TableRow &row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Json &cell = row.cells[i];
      text += i == 0 ? "" : ",";
      text += cell.is_null() ? "" : cell.is_string() ? csvField(cell.get<std::string>()) : cell.dump();
    }
    text += "\n";
  }
  return text;
}

/// The rows in the order in which a reader wants them at first.
std::vector<const TableRow *> worstFirst(const KernelTable &table) {
  std::vector<const TableRow *> rows;
  rows.reserve(table.rows.size());
  for (const TableRow &row : table.rows)
    rows.push_back(&row);
  std::vector<std::size_t> columns;
  for (const std::string &key : table.worstBy)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].key == key)
        columns.push_back(i);
  std::stable_sort(rows.begin(), rows.end(), [&](const TableRow *a, const TableRow *b) {
    if (!columns.empty() && a->eventful != b->eventful)
      return a->eventful;
    for (std::size_t i : columns) {
      const Json &x = a->cells[i], &y = b->cells[i];
      if (x.is_null() != y.is_null())
        return x.is_null();
      if (x.is_number() && y.is_number() && x.get<double>() != y.get<double>())
        return x.get<double>() > y.get<double>();
    }
    return false;
  });
  return rows;
}

std::string pageText(const KernelTable &table) {
  Json columns = Json::array(), rows = Json::array();
  for (const TableColumn &column : table.columns)
    columns.push_back({{"title", column.title}, {"text", isText(column.kind)}});
  for (const TableRow *row : worstFirst(table)) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row->cells.size(); ++i)
      cells.push_back({safeCell(row->cells[i]), validUtf8(shown(row->cells[i], table.columns[i].kind))});
    rows.push_back({{"cells", std::move(cells)}, {"page", validUtf8(row->page)}});
  }
  return htmlPage("table", {{"command", table.command},
                            {"tool", "ptosync " + table.toolVersion},
                            {"lines", table.lines},
                            {"columns", std::move(columns)},
                            {"rows", std::move(rows)}});
}

/// Calls `visit(row, value)` for each known cell of a column of numbers.
template <typename Visit> void forEachNumber(const KernelTable &table, std::string_view key, const Visit &visit) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].key == key)
      for (const TableRow &row : table.rows)
        if (row.cells[i].is_number())
          visit(row, row.cells[i].get<double>());
}

} // namespace

double sumOf(const KernelTable &table, std::string_view key) {
  double sum = 0;
  forEachNumber(table, key, [&](const TableRow &, double value) { sum += value; });
  return sum;
}

double mostOf(const KernelTable &table, std::string_view key) {
  double most = 0;
  forEachNumber(table, key, [&](const TableRow &, double value) { most = std::max(most, value); });
  return most;
}

const TableRow *largestOf(const KernelTable &table, std::string_view key, double least) {
  const TableRow *largest = nullptr;
  forEachNumber(table, key, [&](const TableRow &row, double value) {
    if (largest ? value > least : value >= least) {
      largest = &row;
      least = value;
    }
  });
  return largest;
}

std::string sumText(const KernelTable &table, std::string_view key) {
  return std::to_string(std::llround(sumOf(table, key)));
}

void addSums(KernelTable &table) {
  for (const TableColumn &column : table.columns)
    if (column.kind == ColumnKind::Count || column.kind == ColumnKind::Cycles)
      table.summary[column.key] = std::llround(sumOf(table, column.key));
    else if (column.kind == ColumnKind::Most)
      table.summary[column.key] = std::llround(mostOf(table, column.key));
}

TableForm tableFormOf(const std::string &path) {
  llvm::StringRef name = path;
  return name.ends_with(".json")   ? TableForm::Json
         : name.ends_with(".csv")  ? TableForm::Csv
         : name.ends_with(".html") ? TableForm::Html
                                   : TableForm::Text;
}

std::string linesOf(const KernelTable &table) {
  std::string text;
  for (const std::string &line : table.lines)
    text += line + "\n";
  return text;
}

std::string tableText(const KernelTable &table, TableForm form) {
  switch (form) {
  case TableForm::Text: return plainText(table);
  case TableForm::Json: return jsonText(table);
  case TableForm::Csv: return csvText(table);
  case TableForm::Html: return pageText(table);
  }
  return "";
}

} // namespace ptosync
