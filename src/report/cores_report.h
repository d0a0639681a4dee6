// Prints what both cores of a kernel take together, before and after the edits, and which core waits for the other.
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

/// The times of a kernel whose two cores meet, before and after the edits, in the same run.
struct CoresCost {
  std::string kernel;
  std::string apart;                   // why each core is timed alone; empty: it is not
  timing::CoresEstimate before, after; // not apart
};

/// Returns one line for each kernel, with its newline: "both cores together: k: 24.1k -> 22.9k cycles, ...".
std::string coresLines(const std::vector<CoresCost> &kernels);

/// Returns the lines with each core and its waits; only the longest waits unless `all` is set.
std::string coresText(const std::vector<CoresCost> &kernels, bool all);

nlohmann::ordered_json coresJson(const std::vector<CoresCost> &kernels);

/// Returns "k: each core timed alone: why".
std::string apartLine(const std::string &kernel, const std::string &why);

} // namespace ptosync
