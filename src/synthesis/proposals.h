// Which barriers and flags could order the required pairs of a kernel: for each pair several, from tight to wide.
//
//   RequiredPair --places in the lists around both--> Proposal
//
// In one iteration: set behind the child that holds the producer, wait in front of the one that holds the consumer, in
// the innermost list around both; or both in an arm of the producer or of the consumer. Round a loop: wait in front of
// the consumer and set behind the producer, primed in front of the outermost loop and drained behind it; or a trip
// later, set where the next visit waits, which gives storage of two slots its whole overlap: directly in front of the
// producer, or in an arm of the consumer beside the wait, with a second flag the other way that keeps the first from
// being set too early. Where storage lasts for several iterations: the same with an id for each of them, told by the
// loop's counter. Or set where it is waited for, behind all that the producer's pipe has by then: two statements, no
// priming, and as good where the producer has nothing else in between.
// Where one of the two stands in a loop that the other is not in: the same with the set in that loop's last trip,
// directly behind the producer, or the wait in its first trip, directly in front of the consumer. Of proposals of one
// list that only differ in width, those that a wider one covers are left out: the wider one is asked for by a pair of
// its own. Whether a proposal orders anything, and whether its flag is balanced, is for the analysis of the kernel that
// has it. Tested by tests/synthesis/proposals_test.cpp.
#pragma once

#include "synthesis/proposal.h"

namespace ptosync::synthesis {

enum class Range : std::uint8_t {
  Plain, // behind the producer and in front of the consumer
  All,   // also in arms, and a trip later
  Slots, // also with an id for each of several iterations
  Trips, // All, also in the first or last trip of a loop
};

/// In a fixed order. Pairs that only a contested rule orders are left to what the kernel has.
std::vector<Proposal> proposalsFor(const RequiredOrder &order, const StatementTree &tree, Range range = Range::All);

/// For each pair of two pipes: in front of the later statement, either waits for what the other one has behind it. They
/// order every pair, and cost as much as PIPE_ALL between the two.
std::vector<Proposal> meetingsFor(const RequiredOrder &order);

/// True if the core of a section has what a proposal needs: a barrier of that pipe, or both pipes of the flag.
bool isLegal(const Proposal &proposal, const Machine &machine, Section section);

} // namespace ptosync::synthesis
