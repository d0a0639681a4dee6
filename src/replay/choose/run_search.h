// Runs that take the ways of a kernel that the usual ones have not taken.
//
//   corpus/rare_paths: for (v4 = 0; v4 < v2; v4 += 1) { ... if (v3 % 1009 == 640) pipe_barrier(PIPE_ALL); }
//
//   run_choice.h    keeps runs with v2 = v3 = 3, 0, 1, ...; in none of them v3 % 1009 is 640
//   left            the branch, taken
//   retrace         v2 = v3 = 3 is gone through once more: 3 % 1009 = 3, 3 == 640 is false
//   proposals       make 3 % 1009 equal 640: v3 = 640, found backwards from the comparison (derivation.h)
//   scout           v2 = 3, v3 = 640 takes the branch: kept, and nothing is left
//
// For each way left, a run that came by it is gone through once more, and inputs are sought that make its condition
// turn: a branch, an arm of `a ? b : c`, a loop that runs 0, 1, 2 times or as often as its ring is deep. Before that,
// negative and large arguments are tried; behind it, runs that take two ways of which each was taken without the other:
// what one leaves unfinished, the other meets. A proposal is kept only if a scout shows that it does what it is for.
// The work is bounded by statements, and the result is the same each time. Not found are ways that need two inputs
// changed at once; they are told as left, and the answer is undecided. Tested by
// tests/replay/choose/run_search_test.cpp.
#pragma once

#include "replay/choose/run_choice.h"

#include <set>
#include <vector>

namespace ptosync::replay {

struct SearchResult {
  std::vector<Inputs> runs; // in the order in which they were found
  std::set<Way> left;       // open ways that no run takes, but those that are impossible
  std::set<Way> impossible; // of what the runs before had not taken (impossible_ways.h); not asked for with aims
};

/// Seeks runs beside the runs `known`, which have shown `shown`. A number of an event id
/// or an index, and a loop that runs no time, are no part of `left` if no input was found to lead there by what the
/// runs derive them from. With Options::aims, runs are sought only while one of those lines is not reached.
SearchResult searchRuns(Subject &subject, const Options &options, const std::vector<Inputs> &known, const Shown &shown);

} // namespace ptosync::replay
