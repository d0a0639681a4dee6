// Prints two versions of a kernel file beside each other: as text, CSV, JSON and a page.
//
//   Comparison --compareText, compareCsv, compareJson, compareHtml--> documents
//
// The text shows what differs and folds what is the same; CSV and JSON have every number. Columns: A, B, and B as a
// multiple of A. Times are estimates. Tested by tests/compare/compare_report_test.cpp.
#pragma once

#include "compare/change_summary.h"
#include "compare/compare.h"
#include "timing/timeline.h"

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
  std::vector<std::string> assumed = {};           // of the numbers of B's kernels (optimize/library_use.h)
};

std::string compareText(const CompareReport &report);
std::string compareCsv(const CompareReport &report);
nlohmann::ordered_json compareJson(const CompareReport &report);
/// Returns compareJson as text that ends with a newline.
std::string compareJsonText(const CompareReport &report);

/// Returns "estimate: ...", without a newline, with both cores together if some kernel's meet; then a line about each
/// core alone.
std::vector<std::string> compareEstimate(const CompareReport &report);
/// Returns the line that says how many syncs differ and how, without a newline: "3 cores compared, 20 syncs: 2 gone".
std::string syncTotals(const compare::Comparison &comparison);

/// Lines of A and B that are the same statement: `count` from `a` and from `b` on, numbered from 1.
struct MatchedLines {
  std::uint32_t a = 0, b = 0, count = 0;
  bool operator==(const MatchedLines &) const = default;
};

/// Lays the lines of B beside those of A, as many as can be matched in order. Space, numbers (and so the names that an
/// assembler counts) and what follows `//` do not tell lines apart; a comment in the place of a removed sync is that
/// sync.
std::vector<MatchedLines> matchedLines(const SourceText &a, const SourceText &b);

/// Returns one self-contained page. `a` and `b` are the files. `drawn` holds for each kernel of the comparison the runs
/// of A and B, and none if the kernel was not compared; behind them those of both cores together.
std::string compareHtml(const CompareReport &report, const SourceText &a, const SourceText &b,
                        const std::vector<DrawnKernel> &drawn);

/// Returns what breaks `failOver`: "attention (vec): 20.6k -> 24.1k cycles, 17 % more", a kernel without a partner, or
/// one that could not be analysed. It is empty if nothing does or no limit was given.
std::vector<std::string> overLimit(const CompareReport &report);

/// A group of changed syncs that a reader looks at together: those with the same change, kind, pair of instructions and
/// loop.
struct SyncGroup {
  compare::MatchKind change = compare::MatchKind::Same;
  std::string text;                          // "pipe_barrier(PIPE_V): TADD -> TMUL, in the loop at line 30"
  std::vector<std::uint32_t> linesA, linesB; // ascending
  double cost = 0;                           // of the dearest, in the version that has it (both: in B)
};

/// Returns the groups of one kernel's syncs that are not the same: gone, new, moved, changed, copies, and in each the
/// dearest first.
std::vector<SyncGroup> groupSyncs(const compare::KernelComparison &kernel);

/// Returns what a page over many files says of these two: a line with the numbers that differ, a line for each finding
/// of the replay and for each group of syncs that are not the same. The lines are indented by two.
std::string changesText(const CompareReport &report, const compare::ChangeSummary &summary);
/// Returns the syncs that are not the same, each as compareJson has it and with its `kernel` and `section`.
nlohmann::ordered_json changedSyncsJson(const compare::Comparison &comparison);

/// Returns the kernel's title: "attention (vec)", or "attention (vec), in B attention_1".
std::string compareTitle(const compare::KernelComparison &kernel);

} // namespace ptosync
