// Two versions of a kernel file beside each other, as text, CSV, JSON and a page.
//
//   Comparison --compareText, compareCsv, compareJson, compareHtml--> documents
//
// The text shows what differs and folds what is the same; CSV and JSON have every number. Columns: A, B, and B as a
// multiple of A. Times are estimates. Tested by tests/compare/compare_report_test.cpp.
#pragma once

#include "compare/compare.h"
#include "timing/timeline_report.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ptosync {

struct CompareReport {
  std::string fileA, fileB;
  std::string arch, archChoice, toolVersion;
  double clockMHz = 0;
  const compare::Comparison *comparison = nullptr; // never null when a report is made
  bool verbose = false;                            // text: also what is the same, and every line number
  std::optional<double> failOver;                  // percent that B may take longer
  std::string durations = {};                      // the file of --timing; empty: the built-in ones alone
};

std::string compareText(const CompareReport &report);
std::string compareCsv(const CompareReport &report);
nlohmann::ordered_json compareJson(const CompareReport &report);
/// compareJson as text, ended by a newline.
std::string compareJsonText(const CompareReport &report);

/// "estimate: ..." and how many syncs differ and how, a line each.
std::string compareTotals(const CompareReport &report);
/// One self-contained page. `a`, `b`: the files.
/// `drawn`: by kernel of the comparison the runs of A and B, none if it was not compared.
std::string compareHtml(const CompareReport &report, const SourceText &a, const SourceText &b,
                        const std::vector<DrawnKernel> &drawn);

/// What breaks `failOver`: "attention (vec): 20.6k -> 24.1k cycles, 17 % more", a kernel without a partner, one that
/// could not be analysed. Empty: nothing, or no limit was given.
std::vector<std::string> overLimit(const CompareReport &report);

/// One of the kinds of changed syncs that a reader asks for together: same change, kind, pair of instructions and loop.
struct SyncGroup {
  compare::SyncChange change = compare::SyncChange::Same;
  std::string text;                          // "pipe_barrier(PIPE_V): TADD -> TMUL, in the loop at line 30"
  std::vector<std::uint32_t> linesA, linesB; // ascending
  double cost = 0;                           // of the dearest, in the version that has it (both: in B)
};

/// Of one kernel, the syncs that are not the same: gone, new, moved, changed, copies; in each the dearest first.
std::vector<SyncGroup> groupSyncs(const compare::KernelComparison &kernel);

/// "attention (vec)", or "attention (vec), in B attention_1".
std::string compareTitle(const compare::KernelComparison &kernel);

} // namespace ptosync
