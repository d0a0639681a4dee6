// The decisions of a file out of those of its groups of kernels, with one row of edit numbers.
//
// A group whose syncs are placed anew is one edit: none of its statements may come or go alone. With
// OptimizeOptions::maxRemovals the first so many edits are made, in the order of the groups; a group that is left out,
// or that removal edits in part, is what `optimize` makes of it with what is left of the number. Tested by
// tests/synthesis/joined_groups_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "optimize/optimizer.h"
#include "synthesis/resync.h"

#include <optional>
#include <set>
#include <vector>

namespace ptosync::synthesis {

/// What becomes of kernels that are edited together.
struct GroupOutcome {
  std::set<SiteId> sites;
  std::vector<std::size_t> kernels;          // in ResyncResult::kernels
  std::optional<OptimizeResult> anew;        // decisions on the sites, and what is added; edits are not numbered
  const OptimizeResult *otherwise = nullptr; // by removal alone: decisions by site, edits numbered through the file
  const Catalogue *byCatalogue = nullptr;    // what nominated those
};

class JoinedGroups {
public:
  /// All outlive it; `result` has a decision for each site and all kernels of the groups that are added.
  JoinedGroups(const Module &module, const Machine &machine, const OptimizeOptions &options, ResyncResult &result)
      : module(module), machine(machine), options(options), result(result) {}

  /// Groups come in the order of `kernelGroups`.
  void add(GroupOutcome &group);

private:
  void addAnew(OptimizeResult &anew);
  void addRemovals(const GroupOutcome &group);

  const Module &module;
  const Machine &machine;
  const OptimizeOptions &options;
  ResyncResult &result;
  std::uint32_t edits = 0;
};

} // namespace ptosync::synthesis
