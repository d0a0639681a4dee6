// Evidence for a removal, from the kernel as it finally stands.
//
// Follows what the removed barrier faced: for each instance still running there, the first later
// instruction that conflicts with it, and what orders that pair now: a machine rule, another
// sync with its line, or a barrier inside a library call. Of a sync that faces very many instances, in a `switch` of a
// hundred cases say, the first thousand searches are made: the evidence is what a reader is shown, and no proof.
// Tested by tests/optimize/evidence_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "ordering/kernel_analysis.h"

namespace ptosync {

/// Of a removed sync, from what it faced where it stood.
std::vector<Evidence> evidenceOf(const Analysis &kernel, const Pending::Faced &faced);

} // namespace ptosync
