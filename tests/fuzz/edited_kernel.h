// The kernel that the tool's edits make of a random kernel, as a tree.
//
//   FuzzKernel + LineEdits --> FuzzKernel --TraceSimulator--> runs of the output
//
// Made from what the tool says it did, not from the text it wrote: the two are compared (judge.h).
// Statements keep the line of the input as their name; what is taken out leaves its place, which
// others may have moved to.
#pragma once

#include "fuzz/fuzz_kernel.h"

#include <optional>
#include <set>

namespace ptosync::fuzz {

/// The sync statement of one line now stands in front of the statement of another.
struct LineMove {
  std::uint32_t line = 0, before = 0;
  bool operator==(const LineMove &) const = default;
};

struct LineEdits {
  std::set<std::uint32_t> removed; // lines
  std::vector<LineMove> moves;     // in the order in which they were made
  bool empty() const { return removed.empty() && moves.empty(); }
  bool operator==(const LineEdits &) const = default;
};

std::string describe(const LineEdits &edits);

/// Empty if an edit names a line on which the printed kernel has no sync, or no statement.
std::optional<FuzzKernel> editedKernel(const FuzzKernel &kernel, const LineEdits &edits);

} // namespace ptosync::fuzz
