#include "report/command_table.h"

#include "base/messages.h"
#include "timing/cost_report.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FormatVariadic.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

bool isOfPairs(const KernelTable &table) { return table.command == "compare" || table.command == "verify"; }

std::vector<TableColumn> optColumns(const TableExtras &extras) {
  std::vector<TableColumn> columns = {{"file", "kernel", ColumnKind::Name},
                                      {"syncs", "syncs"},
                                      {"removed", "removed"},
                                      {"moved", "moved"},
                                      {"added", "added"},
                                      {"kept", "kept"},
                                      {"refused", "refused"}};
  if (extras.approved)
    columns.push_back({"new", "new"});
  if (extras.cost) {
    columns.push_back({"cyclesBefore", "before", ColumnKind::Cycles});
    columns.push_back({"cyclesAfter", "after", ColumnKind::Cycles});
    columns.push_back({"cyclesLimit", "limit", ColumnKind::Cycles});
    columns.push_back({"overLimit", "over limit", ColumnKind::Ratio});
  }
  columns.push_back({"problem", "", ColumnKind::Words});
  return columns;
}

std::vector<TableColumn> compareColumns() {
  return {{"file", "kernel", ColumnKind::Name},
          {"lostOrders", "orders lost"},
          {"flagFaults", "flag faults"},
          {"newPipeAll", "new PIPE_ALL"},
          {"syncsGone", "gone"},
          {"syncsNew", "new"},
          {"syncsOther", "changed"},
          {"idsA", "ids A", ColumnKind::Most},
          {"idsB", "ids B", ColumnKind::Most},
          {"cyclesA", "time A", ColumnKind::Cycles},
          {"cyclesB", "time B", ColumnKind::Cycles},
          {"ratio", "B/A", ColumnKind::Ratio},
          {"instructionsGone", "instr. gone"},
          {"instructionsNew", "instr. new"},
          {"problem", "", ColumnKind::Words}};
}

} // namespace

KernelTable emptyTable(const std::string &command, const TableExtras &extras) {
  KernelTable table{command, "", {}, {}, {}, {}};
  if (command == "opt" || command == "sync") {
    table.columns = optColumns(extras);
  } else if (command == "fix") {
    table.columns = {{"file", "kernel", ColumnKind::Name},
                     {"mended", "mended"},
                     {"left", "left"},
                     {"problem", "", ColumnKind::Words}};
  } else if (command == "audit") {
    table.columns = {{"file", "kernel", ColumnKind::Name},
                     {"errors", "errors"},
                     {"warnings", "warnings"},
                     {"notes", "notes"},
                     {"inBaseline", "in baseline"},
                     {"problem", "", ColumnKind::Words}};
  } else if (command == "verify") {
    table.columns = {{"file", "kernel", ColumnKind::Name},
                     {"answer", "answer", ColumnKind::Words},
                     {"findings", "findings"},
                     {"runs", "runs"},
                     {"instructions", "instructions"},
                     {"problem", "", ColumnKind::Words}};
    table.worstBy = {"findings"};
  } else if (command == "compare") {
    table.columns = compareColumns();
    table.worstBy = {"lostOrders", "flagFaults", "newPipeAll", "ratio", "syncsNew", "syncsOther", "syncsGone"};
  }
  return table;
}

// What a person is told.

namespace {

Json cellOf(const KernelTable &table, const TableRow &row, std::string_view key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].key == key)
      return row.cells[i];
  return nullptr;
}

bool some(const KernelTable &table, const TableRow &row, std::string_view key) {
  const Json cell = cellOf(table, row, key);
  return cell.is_number() && cell.get<double>() > 0;
}

/// The sums of `opt`, and which kernel is worst.
std::vector<std::string> describeOptimized(const KernelTable &table) {
  auto count = [&](const char *key) { return sumText(table, key); };
  std::vector<std::string> lines = {count("syncs") + " syncs: " + count("removed") + " removed, " + count("moved") +
                                    " moved, " + count("kept") + " kept, " + count("added") + " added"};
  if (const double refused = sumOf(table, "refused"); refused > 0)
    lines.push_back(countOf(std::llround(refused), "kernel function") + " of analysed files left as they are");
  if (const double fresh = sumOf(table, "new"); fresh > 0)
    lines.push_back(countOf(std::llround(fresh), "edit") + " not named by the approval");
  if (const double before = sumOf(table, "cyclesBefore"); before > 0)
    lines.push_back("estimate of all: " + changeText(before, sumOf(table, "cyclesAfter"), sumOf(table, "cyclesLimit")));
  if (const TableRow *worst = largestOf(table, "overLimit", 1.005)) {
    const double over = cellOf(table, *worst, "overLimit").get<double>();
    lines.push_back(llvm::formatv("farthest from its limit: {0}, {1:F2} times",
                                  printable(worst->cells.front().get<std::string>()), over));
  } else if (const TableRow *most = largestOf(table, "kept", 1)) {
    lines.push_back("most syncs kept: " + printable(most->cells.front().get<std::string>()) + ", " +
                    cellOf(table, *most, "kept").dump());
  }
  return lines;
}

/// What a maintainer wants to know of all kernels first.
std::vector<std::string> describeCompared(const KernelTable &table) {
  std::size_t losing = 0, others = 0, unknown = 0;
  for (const TableRow &row : table.rows) {
    losing += some(table, row, "lostOrders");
    unknown += cellOf(table, row, "lostOrders").is_null() && !cellOf(table, row, "syncsGone").is_null();
    others += some(table, row, "instructionsGone") || some(table, row, "instructionsNew") ||
              (row.cells.back().is_string() &&
               llvm::StringRef(row.cells.back().get<std::string>()).contains(kOtherInstructions));
  }
  const double a = sumOf(table, "cyclesA"), b = sumOf(table, "cyclesB");
  const std::string ratio = a > 0 ? llvm::formatv("{0:F2}", b / a).str() : "-";
  std::string lost =
      losing ? countOf(std::llround(sumOf(table, "lostOrders")), "order") + " lost in " + countOf(losing, "kernel")
             : "no order lost";
  if (unknown)
    lost += " (not known of " + countOf(unknown, "kernel") + ")";
  lost += ", " + countOf(std::llround(sumOf(table, "flagFaults")), "flag fault");
  lost += ", " + countOf(std::llround(sumOf(table, "newPipeAll")), "new PIPE_ALL barrier");
  return {std::move(lost),
          "syncs: " + sumText(table, "syncsGone") + " gone, " + sumText(table, "syncsNew") + " new, " +
              sumText(table, "syncsOther") + " moved or changed; other instructions in " + countOf(others, "kernel"),
          "most event ids in use at once: " + std::to_string(std::llround(mostOf(table, "idsA"))) + " -> " +
              std::to_string(std::llround(mostOf(table, "idsB"))),
          "estimate of all: " + cyclesText(a) + " -> " + cyclesText(b) + " cycles (" + ratio + ")"};
}

std::vector<std::string> describeRows(const KernelTable &table) {
  if (table.command == "opt" || table.command == "sync")
    return describeOptimized(table);
  if (table.command == "compare")
    return describeCompared(table);
  if (table.command == "fix")
    return {countOf(std::llround(sumOf(table, "mended")), "finding") + " mended, " + sumText(table, "left") + " left"};
  if (table.command == "verify")
    return {countOf(std::llround(sumOf(table, "findings")), "finding") + " in " + sumText(table, "runs") + " runs, " +
            sumText(table, "instructions") + " instructions compared"};
  return {};
}

/// "3 kernels: 2 changed, 1 as they are".
std::string countLine(const KernelTable &table, const TableCounts &counts) {
  const std::size_t all = table.rows.size(),
                    same = all - counts.changed - counts.notAnalysed - counts.onlyBefore - counts.onlyAfter;
  const std::string changed = std::to_string(counts.changed), alike = std::to_string(same);
  std::string line = countOf(all, "kernel") + ": ";
  if (table.command == "compare")
    line += changed + " differ, " + alike + " alike";
  else if (table.command == "verify")
    line += alike + " proved, " + changed + " not";
  else
    line += changed + (table.written ? " changed, " : " would change, ") + alike + " as they are";
  auto add = [&](std::size_t count, const char *what) {
    if (count)
      line.append(", ").append(std::to_string(count)).append(what);
  };
  add(counts.notAnalysed, " not analysed");
  add(counts.onlyBefore, " only in the first folder");
  add(counts.onlyAfter, " only in the second");
  return line;
}

} // namespace

void finishTable(KernelTable &table, const TableCounts &counts) {
  table.summary = {{"kernels", table.rows.size()}, {"changed", counts.changed}, {"notAnalysed", counts.notAnalysed}};
  if (isOfPairs(table)) {
    table.summary["onlyBefore"] = counts.onlyBefore;
    table.summary["onlyAfter"] = counts.onlyAfter;
  }
  addSums(table);
  table.lines.clear();
  if (table.shard)
    table.lines.push_back(table.shard->name() + " of " + countOf(table.shard->of, "kernel"));
  table.lines.push_back(countLine(table, counts));
  for (std::string &line : describeRows(table))
    table.lines.push_back(std::move(line));
}

bool isEventful(const KernelTable &table, const TableRow &row) {
  if (row.details.is_object() && row.details.contains(kDiffersKey))
    return row.details[kDiffersKey] == true;
  if (!row.cells.back().is_null())
    return true;
  if (table.command == "verify")
    return cellOf(table, row, "answer") != "proved";
  constexpr std::string_view kTelling[] = {"removed", "moved", "added",  "refused",  "new",
                                           "mended",  "left",  "errors", "warnings", "notes"};
  return llvm::any_of(kTelling, [&](std::string_view key) { return some(table, row, key); });
}

} // namespace ptosync
