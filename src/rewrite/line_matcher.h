// Which lines of two texts differ: a shortest edit script by Myers' divide and conquer.
//
// Find a point that a shortest script passes half-way, by searching from both corners of the edit
// graph at once, and solve the two boxes on either side. Each side needs at least one edit less, so
// the recursion ends; it is as deep as the logarithm of the number of edits. Memory is linear.
// A part of unified_diff; it knows lines as numbers only, equal numbers for equal lines.
// Tested by tests/rewrite/line_matcher_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace ptosync {

struct ChangedLines {
  std::vector<bool> removed; // per line of the old text
  std::vector<bool> added;   // per line of the new text
};

/// The unmarked lines of both sides are equal and in the same order; as few as possible are marked.
ChangedLines matchLines(const std::vector<std::uint32_t> &before, const std::vector<std::uint32_t> &after);

} // namespace ptosync
