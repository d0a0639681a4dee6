// The reports of `ptosync explain --memory`: text for a person, JSON for programs.
// Tested by tests/explain/memory_report_test.cpp.
#pragma once

#include "explain/memory_budget.h"

#include <string>
#include <vector>

namespace ptosync {

struct MemoryReport {
  std::string file, arch, toolVersion;
  std::vector<KernelBudget> kernels;
  std::string archChoice = {}; // "a3 (command line: --arch)"
};

std::string memoryText(const MemoryReport &report);

/// Value of "schema" of the JSON form.
inline constexpr int kMemoryJsonSchema = 1;
std::string memoryJson(const MemoryReport &report);

} // namespace ptosync
