// How often the optimiser keeps what the replay sees no need for.
//
// From an edited kernel each barrier that was kept, and each flag with all its sets and waits, is taken out by itself.
// Where the replay has no objection the optimiser was more cautious than the runs can show: paths that no run takes,
// addresses that only look alike, pins. A number to watch, no fault.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "replay/verify.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ptosync::fuzz {

struct Precision {
  std::size_t kept = 0;               // barriers and flags that were kept and that nothing protects
  std::vector<std::string> removable; // those the replay lets go: "line 12 pipe_barrier(PIPE_V)"
};

/// `edited` is `input` (both of one kernel) after the optimiser; `sites` are those of `edited`'s file.
Precision precisionOf(const Kernel &input, const Kernel &edited, const std::vector<SyncSite> &sites,
                      const Machine &machine, const replay::Options &options);

} // namespace ptosync::fuzz
