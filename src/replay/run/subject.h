// After how many iterations the branches of a kernel repeat themselves, as far as its divisions tell.
//
// `if (k % 4 == 0)` after 4, `if ((k / 4) % 2)` after 8, `if (k & 1)` after 2. Runs that are to show every phase of a
// loop must be that long and one more, and a loop is not taken to repeat itself before. A guess that chooses runs:
// nothing is concluded from it. Tested by tests/replay/run/subject_test.cpp.
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

/// The value of an expression that is the same in every run and at every time; empty if it is not
/// a constant, possibly through variables that are assigned once.
class Constants {
public:
  explicit Constants(const Kernel &kernel);
  std::optional<std::int64_t> of(ExpressionId id) const;

private:
  const Kernel &kernel;
  std::vector<ExpressionId> definition; // kNone: not exactly one
};

/// At least 1, at most kLongestBranchPeriod: the largest that one remainder in a branch condition asks for.
std::uint64_t branchPeriodOf(const Kernel &kernel, const Constants &constants);
inline constexpr std::uint64_t kLongestBranchPeriod = 16;

/// A kernel with what is worked out once for all its runs.
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
