// Writes the report for a person: one line with the verdict, then what a kernel's author asks next.
//
//   verdict            135 barriers, 72 removed, 63 kept (trust: tile, arch: a3)
//   table              found, removed, kept per core section and pipe
//   patterns           what each enabled pattern claimed and removed
//   reasons            why the removed and moved ones went, why the others stay; the most frequent causes first
//   trouble            skipped kernels, unknown calls, flag faults, unresolved pairs
//   sites (verbose)    every site with its evidence or its witness, as file:line:column
//   next               what to do to have more removed
//
// Parts with nothing to say are left out. The text is for reading and changes from version to
// version; programs read the JSON report.
// Tested by tests/report/text_report_test.cpp.
#pragma once

#include "report/report_input.h"

#include <optional>
#include <string>

namespace ptosync {

struct TextReportOptions {
  /// Lists every site, and every unresolved pair and flag fault instead of the first few.
  bool verbose = false;
  /// Restricts the report to the syncs with this verdict: why, and with `verbose` each of them.
  std::optional<Verdict> only = std::nullopt;
};

/// Returns the report, which ends with a newline.
std::string textReport(const ReportInput &input, const TextReportOptions &options = {});

/// Returns the line with the verdict alone, without a newline.
std::string verdictLine(const ReportInput &input);

} // namespace ptosync
