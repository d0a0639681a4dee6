// Prints what the syncs of a file cost: time before and after, the data-flow limit, loops, each sync.
//
//   KernelTiming --addCosts--> CostReport --costText, costJson--> text, JSON
//
// All figures are estimates out of published models (src/timing); a file's time is that of its slower core, since both
// run at once, added up over its kernels. Tested by tests/report/cost_report_test.cpp.
#pragma once

#include "report/cores_report.h"
#include "report/report_input.h"
#include "timing/estimate.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ptosync {

/// The times of one kernel before and after the edits, in the same run.
struct KernelCost {
  timing::KernelEstimate before, after;
  std::vector<timing::SyncCost> removed; // what taking each out alone gains, in the input
  std::vector<timing::SyncCost> kept;    // what going without each gains, in the result; moved ones are among them
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

FileCost fileCost(const CostReport &report);

/// Returns a number of cycles as "812", "61.1k" or "1.23M".
std::string cyclesText(double cycles);

/// Returns "61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)".
std::string changeText(double before, double after, double limit);

/// Returns "estimate: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)", without a newline.
std::string costLine(const CostReport &report);

/// Returns the part of the text report: kernels, loops, removals by gain, kept syncs by cost. It lists the first few of
/// each unless `all` is set.
std::string costText(const ReportInput &input, const CostReport &report, bool all);

/// Returns the value of "cost" in the JSON report.
nlohmann::ordered_json costJson(const ReportInput &input, const CostReport &report);

} // namespace ptosync
