// The cost of a file's syncs, for the reports: time before and after, the data-flow limit, loops, each sync.
//
//   KernelTiming --> KernelCost --+
//   JoinedCores ---> CoresCost ---+--> CostReport --costText, costJson--> text, JSON
//
// All figures are estimates out of published models. The time of a kernel whose cores meet is that of both together, of
// another one that of its slower core, since both run at once; the time of a file adds up its kernels. Each core alone
// is told too; cores that meet and are timed apart are named with the reason. Tested by
// tests/timing/cost_report_test.cpp and tests/timing/cores_report_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "timing/cores.h"
#include "timing/estimate.h"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// The times of a kernel whose two cores meet, before and after the edits, in the same run.
struct CoresCost {
  std::string kernel;
  std::string apart;                    // why each core is timed alone; empty: it is not
  timing::CoresEstimate before, after;  // not apart
  std::set<std::string> functions = {}; // not apart: the functions that are its cores
};

/// Returns a line for each kernel, each with its newline: "both cores together: k: 24.1k -> 22.9k cycles, ...".
std::string coresLines(const std::vector<CoresCost> &kernels);

/// Returns each core of each kernel with its waits; without `all` only the longest ones.
std::string coresText(const std::vector<CoresCost> &kernels, bool all);

nlohmann::ordered_json coresJson(const std::vector<CoresCost> &kernels);

/// Returns "k: each core timed alone: why".
std::string apartLine(const std::string &kernel, const std::string &why);

/// The times of one kernel before and after the edits, in the same run.
struct KernelCost {
  timing::KernelEstimate before, after;
  std::vector<timing::SyncCost> removed; // with the gain of taking each out alone, in the input
  std::vector<timing::SyncCost> kept; // with the gain of going without each, in the result; moved ones are among them
  bool openBefore = false, openAfter = false; // it lacks an order: no right kernel takes what it seems to take
};

struct CostReport {
  std::vector<KernelCost> kernels;
  double clockMHz = 0;
  std::string durations;        // the file of --timing; empty: the built-in ones alone
  std::vector<CoresCost> cores; // kernels whose two cores meet
};

/// The cycles of a whole file.
struct FileCost {
  double before = 0, after = 0, limit = 0;
};

/// Adds up the kernels: both cores together where they meet, else the slower core.
FileCost fileCost(const CostReport &report);
/// Adds up the slower core of each kernel, as if no core ever made the other wait.
FileCost coresAlone(const CostReport &report);

/// Returns a number of cycles as "812", "61.1k" or "1.23M".
std::string cyclesText(double cycles);

/// Returns "61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)".
std::string changeText(double before, double after, double limit);

/// Returns what a header tells, without newlines: "estimate: ...", the time of the file; if some kernel's cores meet
/// that is of both together, and then follows that of each core alone; then why cores that meet are timed apart.
std::vector<std::string> estimateLines(const CostReport &report);

/// Returns "estimate: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)", without a newline. If some kernel's cores
/// meet it tells both together first, then each alone.
std::string costLine(const CostReport &report);

/// Returns the part of the text report: kernels, loops, removals by gain, kept syncs by cost; without `all` only the
/// first few. The costs are of the sites of `module`.
std::string costText(const Module &module, const CostReport &report, bool all);

/// Returns the value of "cost" of the JSON report.
nlohmann::ordered_json costJson(const Module &module, const CostReport &report);

} // namespace ptosync
