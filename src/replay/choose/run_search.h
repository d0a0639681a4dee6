// Runs that take the ways of a kernel that the usual ones have not taken.
//
//   runs --> ways that none of them took --retrace, proposals--> inputs --scout--> runs that take some
//
// For each way left, a run that came by it is gone through once more, and inputs are sought that make its condition
// turn (input_proposals.h): a branch, an arm of `a ? b : c`, a loop that runs 0, 1, 2 times or as often as its ring is
// deep. Before that, negative and large arguments are tried; behind it, runs that take two ways of which each was taken
// without the other: what one leaves unfinished, the other meets. A proposal is kept if a scout shows that it does what
// it is for. The work is bounded by statements, and the result is the same each time.
// Tested by tests/replay/choose/run_search_test.cpp.
#pragma once

#include "replay/choose/run_choice.h"

#include <set>
#include <vector>

namespace ptosync::replay {

struct SearchResult {
  std::vector<Inputs> runs; // in the order in which they were found
  std::set<Way> left;       // open ways that no run takes, and that inputs are not known to exclude
};

/// Beside the runs `known`, which have shown `shown`. A way is no part of `left` if its condition, wherever it was met, is
/// derived from inputs that cannot turn it. With Options::aims, runs are sought only while one of those lines is not
/// reached.
SearchResult searchRuns(Subject &subject, const Options &options, const std::vector<Inputs> &known, const Shown &shown);

} // namespace ptosync::replay
