// Holds what every report is made from: the lifted file, the decisions, and the options on which they depend. Plain
// data; the reports read it and recompute no reason. Tested through tests/report.
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"
#include "optimize/fifo_slots.h"
#include "optimize/library_use.h"
#include "synthesis/outcome.h"

#include <set>
#include <string>
#include <vector>

namespace ptosync {

struct CostReport;

struct ReportInput {
  const Module *module = nullptr;         // never null when a report is made
  const OptimizeResult *result = nullptr; // likewise; its decisions refer to the sites of `module`
  std::string toolVersion;
  std::string arch;       // "a3", "a5"
  std::string archChoice; // with how it was chosen: "a3 (command line: --arch)"
  std::string library;    // version of the instruction library; may be empty
  Trust trust = Trust::Tile;
  LibraryUse libraryUse;
  std::string patterns;                                // the selection as the user gave it: "default", "gu,final-div"
  std::vector<std::string> patternIds;                 // the patterns that it enables
  const std::vector<FifoDecision> *rewrites = nullptr; // null: none was asked for
  const std::vector<synthesis::KernelResync> *resync = nullptr; // null: not asked for
  const CostReport *costs = nullptr;                            // null: no times were asked for
  std::set<SiteId> notReplayed; // removed or moved statements that no run of the replay reached
};

} // namespace ptosync
