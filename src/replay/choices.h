// A number that is one of a few, because a remainder, a mask or a comparison of what memory holds decides it.
//
// One run has one of them; an address made from it stands for all. Which one it is follows from a residue: of one
// unknown number, so that `(x & 3) * 512` and `((x + 1) & 3) * 512` never meet, whatever is loaded. Sound for two
// numbers of one root as far as sums do not wrap where the count is no power of two. What a run's control flow depends
// on is what it is in that run (Decided): other runs are there for other paths. Tested by
// tests/replay/choices_test.cpp.
#pragma once

#include "kernel/expression.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptosync::replay {

struct Choices {
  std::uint64_t root = 0;           // what the residue is of, a base (value.h); 0: of a number of its own each time
  std::vector<std::int64_t> values; // by residue modulo their number; a single one whatever the root is
  auto operator<=>(const Choices &) const = default;
};

/// Roots of what a run's control flow and event ids have depended on, and what it has asked of addresses.
struct Decided {
  std::set<std::uint64_t> roots;
  bool everything = false; // all that there are
  // Arguments that the text compares, or of whose addresses it makes one number, the lower one first: they may be one
  // buffer.
  std::set<std::pair<std::uint32_t, std::uint32_t>> related = {};
  bool mayMeet(std::uint32_t one, std::uint32_t other) const {
    return related.count({std::min(one, other), std::max(one, other)}) != 0;
  }
  bool has(const Choices &choices) const { return everything || roots.count(choices.root) != 0; }
};

/// Most numbers that are followed one by one, and so many of either sign.
inline constexpr std::int64_t kFewNumbers = 64;
inline constexpr std::size_t kMostChoices = 2 * kFewNumbers;

/// The residues of `root` + `offset` modulo `count`; for both signs where the number may be negative and the
/// remainder keeps its sign. Empty if they are too many.
std::optional<Choices> remainders(std::uint64_t root, std::int64_t offset, std::int64_t count, bool bothSigns);

/// Applies `change` to each value.
Choices changed(const Choices &choices, const std::function<std::int64_t(std::int64_t)> &change);

/// What comes of two choices of one root; empty if their values are too many, or their roots two, or `join` fails.
std::optional<Choices> joined(const Choices &a, const Choices &b,
                              const std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)> &join);

/// `whenTrue` where the condition is not 0, else `whenFalse`; empty as above.
std::optional<Choices> picked(const Choices &condition, const Choices &whenTrue, const Choices &whenFalse);

/// True if `meet` holds for some pair that may be at the same time.
bool anyPair(const Choices &a, const Choices &b, const std::function<bool(std::int64_t, std::int64_t)> &meet);

} // namespace ptosync::replay
