// A run gone through once more by its tape, to find out how its conditions and addresses were derived from its inputs.
//
//   Kernel + Inputs + Tape --> Derivation, and in it the conditions of the ways that somebody wants to be taken, and
//   the
//                              places of the operands of instructions that somebody wants to meet
//
//   the run has n = 3:   TLOAD(a, in + n * 512)        places of instruction 0: in + 1536, made from n
//
// What it finds tells which inputs may lead another way, or another place; whether they do, a run has to show. Nothing
// is said of what comes behind the end of the tape, and of a number that memory decides only if the run drew it.
// Of runs that only looked at the control flow too, for such runs draw less. Tested by
// tests/replay/choose/run_search_test.cpp and tests/replay/needed_test.cpp.
#pragma once

#include "replay/choose/derivation.h"
#include "replay/run/interpreter.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ptosync::replay {

struct RetraceRequest {
  std::set<Way> wanted;           // that are to be taken
  std::set<BlockId> headers;      // of loops that are to run so many times
  std::set<std::uint32_t> fixed;  // arguments that are not to change
  std::set<std::uint32_t> placed; // instructions whose operands' places are asked for, by their number in the run
};

/// Where an operand of an instruction lies: the address of a tile, the pointer of a tensor or of the operand itself.
struct OperandPlace {
  std::uint32_t operand = 0;
  Derived address;
};

struct Retraced {
  Derivation derivation;
  /// The first evaluations of the condition that some inputs may turn, as far as its bounds tell.
  std::map<Way, std::vector<Derived>> turning;
  /// The first conditions of loops, one for each visit.
  std::map<BlockId, std::vector<Derived>> visits;
  /// The conditions of branches that inputs have a part in, as they were met; and for each of `turning` that is a
  /// loop's on entry, how many were met before.
  std::vector<Derived> path;
  std::map<Way, std::vector<std::size_t>> before;
  std::set<BlockId> entered; // headers of loops whose first condition inputs have a part in
  std::map<std::uint32_t, std::vector<OperandPlace>> places; // of `placed`, by instruction
  std::map<std::uint32_t, std::size_t> pathTo; // of `placed`: so many conditions of `path` were met before
  static constexpr std::size_t kMostEvaluations = 6, kMostVisits = 12;
};

Retraced retrace(const Subject &subject, const Inputs &inputs, const RetraceRequest &request, const Tape &tape);

} // namespace ptosync::replay
