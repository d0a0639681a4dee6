// What the replay of a kernel has seen, and what not.
//
// Tested by tests/replay/coverage_test.cpp.
#pragma once

#include "replay/interpreter.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

struct LoopCoverage {
  std::uint32_t line = 0;
  std::set<std::uint64_t> trips; // iteration counts seen
  std::uint64_t skipped = 0;     // iterations taken for repetitions, over all runs
};

struct KernelCoverage {
  std::string kernel;
  Section section = Section::Both;
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0; // compared, over all runs
  std::vector<LoopCoverage> loops;
  std::set<std::uint32_t> cutAt;     // lines where a run was stopped as too long
  std::set<std::uint32_t> neverRun;  // lines of instructions and syncs that no run reached
  std::uint64_t withoutSkipping = 0; // runs repeated in full: the files repeat differently, or what was skipped matters
};

class CoverageCollector {
public:
  explicit CoverageCollector(const Subject &subject) : subject(subject) {}
  void add(const Trace &trace);
  /// Everything but `runs`, `instructions` and `withoutSkipping`, which the caller counts.
  KernelCoverage finish() const;

private:
  const Subject &subject;
  std::set<BlockId> blocks;
  std::map<LoopId, LoopCoverage> loops;
  std::set<std::uint32_t> cutAt;
};

} // namespace ptosync::replay
