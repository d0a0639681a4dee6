// The ways to reduce a kernel in which everything that could help is put in: what is left out first.
//
// Each leads to a choice from which nothing more can go; which one, hangs on the order, and no order is best for all
// kernels. Does not decide anything: the reduction does (reduction.h). Tested by tests/synthesis/variations_test.cpp.
#pragma once

#include "kernel/pipe.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <set>
#include <utility>

namespace ptosync::synthesis {

/// What is tried first among those that cost the same.
enum class Preference : std::uint8_t {
  Fewest,   // what is nested deepest goes first: one flag for all arms
  Input,    // what was proposed goes first: few edits
  Proposed, // what the input has goes first
};

/// One way to go about it.
struct Variation {
  Preference preference = Preference::Fewest;
  double sameTime = 0.0005; // costs closer than this share of the time count as the same
  bool slotsLast = false;   // of what costs the same, what has more ids goes later
  bool inPlace = true; // false: flags that are set where they are waited for go before anything else; alone they look
                       // cheaper than they are beside others
  std::set<std::pair<Pipe, Pipe>> withheld = {}; // flags that are proposed between these pipes go before anything else
};

/// In the order in which effort is spent on them: at least one, no two alike. `slots`: where flags have an id for each
/// of several iterations, which alone look no faster than what they take the place of.
llvm::ArrayRef<Variation> variationsFor(bool slots);

/// What a reduction has to go through.
struct ReductionSize {
  std::size_t proposals = 0; // each is tried once or more
  std::size_t events = 0;    // of the kernel's program, copies of blocks counted apart
  std::size_t words = 0;     // of its pending sets, at most
};

/// How many ways `effort` (from 1) is enough for; 0: not even for one in which the pending sets have so many words.
/// That is where the iterations of a loop have many phases.
std::size_t waysWithin(unsigned effort, const ReductionSize &size);

} // namespace ptosync::synthesis
