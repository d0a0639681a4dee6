// Inputs with which two instructions of a run meet in memory.
//
//   the run has n = 3, and the two that are to meet are
//     TSTORE(out + n * 512, a)     place 1536
//     TLOAD(b, out + 4096)         place 4096
//   backwards   out + n * 512 = out + 4096: n * 512 = 4096, n = 8
//   proposed    n = 8; with that the branches in front of both go the way that they went
//
// The places of both are derived from the inputs of the run (retrace.h), the difference is undone back to arguments,
// places of the core and loaded numbers (derivation.h). Proposals that lead to both instructions by the way of the run
// come first. They prove nothing: whether the two meet, a run has to show. Not found are places that only another
// number of iterations brings together, and numbers that two inputs have to change for at once. Tested by
// tests/replay/needed_test.cpp.
#pragma once

#include "replay/choose/retrace.h"
#include "replay/run/interpreter.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ptosync::replay {

/// Two instructions by their numbers in a run, the earlier one first.
using InstancePair = std::pair<std::uint32_t, std::uint32_t>;

/// Returns inputs for `pairs` of the run that `tape` is of, the most promising first, and at most `most`. Arguments in
/// `fixed` keep their numbers.
std::vector<Inputs> inputsThatMeet(const Subject &subject, const Inputs &inputs, const Tape &tape,
                                   const std::vector<InstancePair> &pairs, const std::set<std::uint32_t> &fixed,
                                   std::size_t most);

/// Returns the inputs with other numbers for some of their sources.
Inputs withChanges(Inputs inputs, const Derivation &derivation, const SourceChanges &changes);

} // namespace ptosync::replay
