// A run gone through once more by its tape, to find out how its conditions were derived from its inputs.
//
//   Kernel + Inputs + Tape --> Derivation, and in it the conditions of the ways that somebody wants to be taken
//
// What it finds tells which inputs may lead another way; whether they do, a run has to show. Of runs that only looked
// at the control flow, for such runs draw less. Tested by tests/replay/run_search_test.cpp.
#pragma once

#include "replay/derivation.h"
#include "replay/interpreter.h"
#include "replay/tape.h"

#include <map>
#include <set>
#include <vector>

namespace ptosync::replay {

struct RetraceRequest {
  std::set<Way> wanted;          // that are to be taken
  std::set<BlockId> headers;     // of loops that are to run so many times
  std::set<std::uint32_t> fixed; // arguments that are not to change
};

struct Retraced {
  Derivation derivation;
  /// The first evaluations of the condition that some inputs may turn, as far as its bounds tell.
  std::map<Way, std::vector<Derived>> turning;
  /// The first conditions of loops, one for each visit.
  std::map<BlockId, std::vector<Derived>> visits;
  static constexpr std::size_t kMostEvaluations = 6, kMostVisits = 12;
};

Retraced retrace(const Subject &subject, const Inputs &inputs, const RetraceRequest &request, const Tape &tape);

} // namespace ptosync::replay
