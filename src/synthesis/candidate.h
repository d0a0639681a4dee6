// What can be published for one kernel, and whether it is worth it: estimated time first, then statements.
//
// Nothing that is slower than the kernel as pruned is worth anything. What is faster has to be so by a share of the
// time that grows with the statements it has more; what is as fast has to have fewer, and few of them new.
// Tested by tests/synthesis/candidate_test.cpp.
#pragma once

#include "optimize/decision.h"

#include <set>

namespace ptosync::synthesis {

struct Candidate {
  OptimizeResult result; // decisions on the kernel's sites, and what is added
  double cycles = 0;     // estimated
  std::size_t statements = 0, edits = 0;
  std::set<SiteId> leftOut; // of the augmented kernel that it was found in
};

/// A smaller share of the time is taken for none.
inline constexpr double kWorthwhile = 0.005;

/// True if `cycles` are fewer than `others` by more than that share.
constexpr bool isMuchFaster(double cycles, double others) { return cycles < others * (1 - kWorthwhile); }

/// True if `a` comes first by time, then statements, then edits.
bool isFaster(const Candidate &a, const Candidate &b);
/// The same by statements, then time, then edits, unless one is faster than `cycles` by what is worthwhile: that one.
bool isShorter(const Candidate &a, const Candidate &b, double cycles);

/// True if a kernel that is as `base` should rather be as `candidate`.
bool isWorthwhile(const Candidate &candidate, const Candidate &base);

} // namespace ptosync::synthesis
