// Judges findings about a text that may be for either architecture.
//
//   findings on the default one, findings of the same text read for the other --> errors that hold on both
//
// Nothing in an emitted vector kernel of an a5 build says a5. Read as a3 it lacks vector barriers, read as a5 it is
// right. A finding that one architecture alone has is no more than a note, which says so. One that both have keeps the
// lower of the two severities. Tested by tests/audit/either_arch_test.cpp.
#pragma once

#include "audit/finding.h"

#include <string>
#include <vector>

namespace ptosync {

/// Demotes the findings of `arch` above a note that `other` does not have, and takes out those that are below `lowest`
/// then. Returns how many findings were demoted. A finding is the same in both if it is of one rule, at one place, and
/// about the same two statements.
std::size_t demoteUnlessBoth(std::vector<Finding> &findings, const std::vector<Finding> &other, const std::string &arch,
                             Severity lowest);

/// Returns true if `findings` has this one, with whatever severity.
bool hasLike(const std::vector<Finding> &findings, const Finding &finding);

} // namespace ptosync
