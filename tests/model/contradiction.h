// Where a recorded call does what the model does not say.
//
// A recorded access must lie in what the model says of the same pipe: reads in anything it says, writes in what it
// writes. Flags must be listed. Where the call signals another core the model must have a release on that pipe, where
// it waits for one an acquire. At library trust, what comes before the first barrier of the run must lie in the phases
// before the model's first barrier, what comes after the last one in those after the model's last, and a barrier that
// the model promises must be there. What the model says and the run does not do is no contradiction.
#pragma once

#include "believed.h"
#include "record.h"

#include <string>
#include <vector>

namespace probes {

struct Contradiction {
  std::string kind;  // "write", "read", "pipe", "flag", "signal", "await", "barrier", "before-barrier",
                     // "after-barrier", "read-order", "write-order", "exact"
  std::string trust; // "tile" or "library"
  std::string text;  // with bytes and the nearest operand
};

std::vector<Contradiction> contradictionsOf(const RecordedCall &recorded, const BelievedCall &believed);

/// True if the model says more bytes than the run touched.
bool wider(const RecordedCall &recorded, const BelievedCall &believed);

} // namespace probes
