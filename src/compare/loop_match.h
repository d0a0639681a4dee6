// Finds for each loop of one version the same loop in the other: by nesting and by the instructions in it.
//
// Loops that stand beside each other in one version are laid along those that stand beside each other in the other, in
// order, so that as much as possible is alike; then those inside. Alike is the mix of kinds of instructions, not their
// number: a loop that was unrolled a few times is still the same one. Names, lines and trip counts are not looked at.
// Tested by tests/compare/loop_match_test.cpp.
#pragma once

#include "compare/outline.h"

#include <optional>

namespace ptosync::compare {

/// Two loops that are the same, as indices into Outline::loops. One is empty if the other loop has no partner.
struct LoopPair {
  std::optional<std::size_t> a, b;
};

/// Returns every loop once, in reading order, with outer loops in front of those inside.
std::vector<LoopPair> matchLoops(const Outline &a, const Outline &b);

/// Returns how alike two mixes of instructions are, from 0 to 1: the cosine of the angle between them. Two empty mixes
/// are alike.
double likeness(const std::map<std::string, double> &a, const std::map<std::string, double> &b);

/// Two loops, or two kernels of different names, that are less alike than this are different ones.
inline constexpr double kLeastLikeness = 0.6;

} // namespace ptosync::compare
