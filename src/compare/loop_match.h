// Which loop of one version is which of the other: by nesting and by the instructions in them.
//
// Loops that stand beside each other in one version are laid along those that stand beside each other in the other, in
// order, so that as much as possible is alike; then those inside. Alike is the mix of kinds of instructions, not their
// number: a loop that was unrolled a few times is still the same one. Names, lines and trip counts are not looked at.
// Tested by tests/compare/loop_match_test.cpp.
#pragma once

#include "compare/outline.h"

#include <optional>

namespace ptosync::compare {

/// Indices into Outline::loops; one of them may be missing.
struct LoopPair {
  std::optional<std::size_t> a, b;
};

/// Every loop once, in reading order, outer ones in front of those inside.
std::vector<LoopPair> matchLoops(const Outline &a, const Outline &b);

/// How alike two mixes are, 0 to 1: the cosine of the angle between them; two that are empty are alike.
double likeness(const std::map<std::string, double> &a, const std::map<std::string, double> &b);

/// Below this two loops, or two kernels of different names, are different ones.
inline constexpr double kLeastLikeness = 0.6;

} // namespace ptosync::compare
