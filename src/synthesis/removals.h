// What removal makes of a file without new places: with the moves of flags, and without.
//
// The first is what a kernel has if it is not placed anew; the second is what placing begins with where moves gain
// nothing, since what has moved stands in no text yet. Does not decide anything itself: `optimize` does.
// Tested by tests/synthesis/removals_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "optimize/optimizer.h"

#include <optional>

namespace ptosync::synthesis {

struct Removals {
  Removals(const Module &module, const Machine &machine, const Catalogue &catalogue, const OptimizeOptions &options);

  OptimizeResult pruned;
  Catalogue unmoving;                    // the patterns that move no flag
  std::optional<OptimizeResult> unmoved; // by removal alone, if something was moved
};

} // namespace ptosync::synthesis
