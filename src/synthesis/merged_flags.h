// One flag where several were proposed: fewer statements, for an order that is a little wider than what is needed.
//
//   flags of one list --set behind the last producer, wait in front of the first consumer--> one for both
//   rings of loops that follow one another --primed once, in front of the first, drained once, behind the last--> one
//
// Rings of loops are matched by their order in each loop: the first of one loop with the first of the next.
// Nothing is said about what a merged flag costs, or whether it is of use: a kernel that has all proposals is asked
// which of them can go (reduction.h). Tested by tests/synthesis/merged_flags_test.cpp.
#pragma once

#include "synthesis/proposal.h"

namespace ptosync::synthesis {

/// Of some of these proposals each, in a fixed order. Empty where none go together.
std::vector<Proposal> mergedFlags(const std::vector<Proposal> &proposals, const StatementTree &tree);

} // namespace ptosync::synthesis
