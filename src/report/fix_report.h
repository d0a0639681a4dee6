// Prints what `ptosync fix` did, as text: each finding mended or left, each statement put in or taken out, a summary.
// Plain data in; tested by tests/report/fix_report_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "synthesis/fix.h"

#include <string>

namespace ptosync {

struct FixReportInput {
  const Module *module = nullptr; // the input
  const synthesis::FixResult *result = nullptr;
  std::string archChoice; // "a3 (command line: --arch)"
};

std::string fixText(const FixReportInput &input);

/// Returns "7 findings mended by 3 statements put in and 1 taken out; 2 left".
std::string fixSummary(const synthesis::FixResult &result);

} // namespace ptosync
