// Everything that decides one run of a kernel: arguments, the place of the core, memory contents.
//
// Pointer arguments are no inputs: argument n points to address (n + 1) * 2^40, so that two
// arguments never meet and an address tells its argument.
// Tested by tests/replay/inputs_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

struct Inputs {
  std::map<std::uint32_t, std::int64_t> arguments; // integer arguments by number; absent: 1
  std::map<std::string, std::int64_t> queries;     // get_block_idx, ...; absent: see defaultQuery
  // Of `arguments`, those that may be any number as far as places go: nothing else depends on them.
  std::set<std::uint32_t> open;
  std::uint64_t seed = 0; // of the values that memory holds
  // Those of them that were chosen one by one, by the key that they are drawn with.
  std::map<std::uint64_t, std::int64_t> loaded = {};
  bool operator==(const Inputs &) const = default;
};

/// Where a pointer argument points to.
constexpr std::int64_t addressOfArgument(std::uint32_t number) { return (std::int64_t{number} + 1) << 40; }

/// One block of one: index 0 of 1.
std::int64_t defaultQuery(const std::string &name);

/// Values that memory may hold, for branches that depend on it.
struct MemoryContents {
  std::uint64_t seed = 0;
  std::vector<std::int64_t> pool = {0, 1, 2, 3};
  const std::map<std::uint64_t, std::int64_t> *chosen = nullptr; // Inputs::loaded; null: none
  /// What was chosen for `key`. Otherwise, seed 0: all zero; seed 1: all one; up to kLastMixed: picked from the pool by `key`; then all the same number,
  /// larger with each seed (lengths and counts that memory holds).
  std::int64_t at(std::uint64_t key) const;
  static constexpr std::uint64_t kLastMixed = 7, kLast = 35;
};

/// A well-mixed function of both.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

/// "n=3, get_block_idx=0, memory 2"; names the arguments of `kernel`.
std::string describe(const Inputs &inputs, const Kernel &kernel);

} // namespace ptosync::replay
