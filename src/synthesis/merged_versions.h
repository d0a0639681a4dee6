// Two versions of a kernel that differ in their syncs alone, as one kernel in which the syncs of both stand.
//
//   before   TLOAD  set 0  wait 0  TADDS
//   after    TLOAD  set 3  wait 0  TADDS         -->   TLOAD  set 0 (before)  set 3 (after)  wait 0 (both)  TADDS
//
// A sync that stands between the same statements and is spelled alike in both is one sync. Every path of the one
// version is a path of the other, so whether an order is kept can be asked path by path, for both at once
// (order_comparison.h). Versions whose blocks do not correspond, because one has a branch around a sync, are not
// merged. Tested by tests/synthesis/merged_versions_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <optional>
#include <set>

namespace ptosync::synthesis {

struct MergedVersions {
  Kernel kernel;                          // each of its syncs is a site of its own, also where calls share the text
  std::set<SiteId> onlyBefore, onlyAfter; // what only one version has
};

/// Empty if their blocks do not correspond.
std::optional<MergedVersions> mergeVersions(const Kernel &before, const Kernel &after);

} // namespace ptosync::synthesis
