// The fastest synchronisation of a small kernel, and the shortest that is as fast as some other, by exhaustive search
// over places for flags and barriers.
//
//   kernel without its syncs --all flags and barriers there could be--> subsets, branch and bound --> least estimated
//   time; fewest statements
//
// A flag is set behind an instruction of its source pipe and waited for in front of one of its destination pipe: in one
// iteration; from in front of the loop into it, and out of it; or round the loop, primed once and drained, set behind
// an instruction that comes later or beside the wait. A barrier stands in front of an instruction. Each flag has an id
// of its own. A subset is right as --resync's candidates are: nothing open, all flags binary, none set again too early.
// Both that and the time are monotone: what is not right with all that is left will not be with less, and no more syncs
// make a kernel faster.
#pragma once

#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"
#include "timing/estimate.h"

namespace ptosync::test {

struct Optimum {
  double cycles = 0;          // of the best subset, or `known` if none is faster
  std::size_t candidates = 0; // flags and barriers
  std::size_t visited = 0;    // subsets that were looked at
  bool complete = true;       // false: stopped before all were seen
};

/// `slot`: "i % 2" where storage has two slots by the loop's counter: flags may have an id for each; empty: they have
/// not. `known`: the time of a kernel that is right. What is not at least a thousandth faster counts as no faster.
Optimum findOptimum(const Module &module, const Machine &machine, const timing::CostTable &costs,
                    const synthesis::Lift &lift, const std::string &slot, double known, std::size_t most);

struct Shortest {
  std::size_t statements = 0; // of the best subset, or `known` if none has fewer
  std::size_t visited = 0;    // subsets that were analysed
  bool complete = true;       // false: stopped before all were seen
};

/// The fewest statements that are right and take at most `cycles`; `known`: of a kernel that is, and does.
Shortest findShortest(const Module &module, const Machine &machine, const timing::CostTable &costs,
                      const synthesis::Lift &lift, const std::string &slot, double cycles, std::size_t known,
                      std::size_t most);

} // namespace ptosync::test
