// What both cores of a kernel take together, for the reports: before and after the edits, and who waits for whom.
//
//   CoresCost --coresLines--> for the summary; --coresText--> with each core and its waits; --coresJson--> JSON
//
// Cores that are timed apart are named too, with the reason. Tested by tests/report/cores_report_test.cpp.
#pragma once

#include "timing/cores.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ptosync {

/// A kernel whose two cores meet, before and after the edits, in the same run.
struct CoresCost {
  std::string kernel;
  std::string apart;                   // why each core is timed alone; empty: it is not
  timing::CoresEstimate before, after; // not apart
};

/// A line for each kernel, each with its newline: "both cores together: k: 24.1k -> 22.9k cycles, ...".
std::string coresLines(const std::vector<CoresCost> &kernels);

/// `all`: not only the longest waits.
std::string coresText(const std::vector<CoresCost> &kernels, bool all);

nlohmann::ordered_json coresJson(const std::vector<CoresCost> &kernels);

/// "k: each core timed alone: why".
std::string apartLine(const std::string &kernel, const std::string &why);

} // namespace ptosync
