// Prints the answer of `ptosync model --calls`: what the model says of every call of a file.
//
// Plain data in, the same bytes for the same input. The text is one line a call and one a phase; the JSON holds all,
// its form named by "schema". Tested by tests/explain/call_effects_test.cpp.
#pragma once

#include "explain/call_effects.h"

#include <string>
#include <vector>

namespace ptosync {

struct CallReport {
  std::string file, arch, library, toolVersion;
  std::vector<KernelCalls> kernels;
};

inline constexpr int kCallJsonSchema = 1;

std::string callText(const CallReport &report);
std::string callJson(const CallReport &report);

} // namespace ptosync
