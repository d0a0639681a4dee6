// What came of synchronising each kernel of a file anew. Plain data for the reports.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <string>

namespace ptosync::synthesis {

/// The pattern id of what goes where syncs are placed anew.
inline constexpr const char *kResyncPattern = "resync";

/// What came of one kernel. Times are estimated cycles.
struct KernelResync {
  std::string kernel;
  Section section = Section::Both;
  std::uint32_t line = 0;
  bool changed = false;
  std::string reason; // not changed: why not, one clause
  double before = 0, pruned = 0, after = 0, limit = 0;
};

} // namespace ptosync::synthesis
