// A kernel with what is worked out once for all its runs.
//
// Its loops and ways, the numbers that memory may hold in its runs, how deep its rings seem to be, and the table of all
// work that its runs have issued. Constants and periods of branches are guesses that choose runs: nothing is concluded
// from them. Tested by tests/replay/run/subject_test.cpp.
#pragma once

#include "replay/options.h"
#include "replay/run/control_flow.h"
#include "replay/run/ways.h"
#include "replay/run/work.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ptosync::replay {

/// Values of expressions that are the same in every run and at every time: constants, possibly through variables that
/// are assigned once.
class Constants {
public:
  explicit Constants(const Kernel &kernel);
  std::optional<std::int64_t> of(ExpressionId id) const;

private:
  const Kernel &kernel;
  std::vector<ExpressionId> definition; // kNone: not exactly one
};

/// Returns after how many iterations the branches of a kernel repeat themselves, as far as its divisions tell: `if (k %
/// 4 == 0)` after 4, `if ((k / 4) % 2)` after 8, `if (k & 1)` after 2. Runs that are to show every phase of a loop must
/// be that long and one more. At least 1, at most kLongestBranchPeriod.
std::uint64_t branchPeriodOf(const Kernel &kernel, const Constants &constants);
inline constexpr std::uint64_t kLongestBranchPeriod = 16;

class Subject {
public:
  Subject(const Kernel &kernel, const Machine &machine, const Options &options);

  const Kernel &kernel;
  const Machine &machine;
  const LoopNest nest;
  const ScalarFacts facts;
  std::vector<std::int64_t> memoryPool; // what memory may hold: small numbers and the kernel's own
  std::uint64_t ringDepth = 2;          // largest rotation the kernel seems to use, at most 8
  WorkTable works;

  /// Computed at the first question.
  const std::vector<VariableId> &carried(LoopId loop);
  const std::vector<bool> &relevant(Matters matters);
  const Ways &ways();
  /// Null if nobody has asked yet.
  const Ways *knownWays() const { return allWays ? &*allWays : nullptr; }

private:
  std::optional<std::vector<std::vector<VariableId>>> carriedByLoop;
  std::map<Matters, std::vector<bool>> relevantFor;
  std::optional<Ways> allWays;
};

} // namespace ptosync::replay
