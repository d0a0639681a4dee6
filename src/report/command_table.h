// The tables of the commands that take many kernels: their columns, and what a person is told of all rows.
//
//   emptyTable("opt") + rows --finishTable--> summary and lines --tableText--> text, JSON, CSV, a page
//
// A command fills in rows and nothing else, so that whoever has the rows of several runs (report/merge.h) gets what one
// run over all kernels would have said. What `audit` says of all its files is not in its rows; its lines are
// `auditSummary`. Tested by tests/tool/batch_test.cpp, tests/tool/pairs_command_test.cpp and
// tests/tool/merge_command_test.cpp.
#pragma once

#include "report/kernel_table.h"

#include <cstddef>
#include <string>

namespace ptosync {

/// The columns that a table of `opt` has on demand.
struct TableExtras {
  bool approved = false, cost = false;
};

/// Returns the table of a command ("opt", "fix", "audit", "verify", "compare") without rows. A command that has no
/// table gives one without columns.
KernelTable emptyTable(const std::string &command, const TableExtras &extras = {});

/// How many kernels came to what.
struct TableCounts {
  std::size_t changed = 0, notAnalysed = 0;
  std::size_t onlyBefore = 0, onlyAfter = 0; // of two folders
};

/// Puts the counts and the sums of the rows into the summary, and from there the lines for a person. Not of `audit`.
void finishTable(KernelTable &table, const TableCounts &counts);

/// Returns true if something is to be said of the row, as its cells tell.
bool isEventful(const KernelTable &table, const TableRow &row);

/// What `compare` notes in a row's details: whether something is to be said of it, which its cells do not tell.
inline constexpr const char *kDiffersKey = "differs";

/// What a row of `compare` says where the same instructions stand in another order.
inline constexpr const char *kOtherInstructions = "other instructions";

} // namespace ptosync
