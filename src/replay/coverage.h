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

/// One way of a branch, or one arm of `a ? b : c`, that no run took.
struct UntakenWay {
  std::uint32_t line = 0;
  bool choice = false;             // an arm
  bool whenTrue = false;           // where the condition holds
  std::vector<std::string> inputs; // that the condition depends on: "n", "get_block_idx()", "memory"
  auto operator<=>(const UntakenWay &) const = default;
};

struct KernelCoverage {
  std::string kernel;
  Section section = Section::Both;
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0; // compared, over all runs
  std::vector<LoopCoverage> loops;
  std::set<std::uint32_t> cutAt;     // lines where a run was stopped as too long: what came next was not compared
  std::set<std::uint32_t> unfinished; // lines of loops that every run was stopped in
  std::set<std::uint32_t> endlessAt; // lines where one was stopped that repeats itself for ever
  std::set<std::uint32_t> neverRun;  // lines of instructions and syncs that no run reached
  std::set<std::uint32_t> dead;      // likewise, where no inputs lead to them
  std::vector<UntakenWay> untaken;   // that inputs may decide
  /// True if every line that some run may reach, every way that inputs may decide, and every loop that was entered was
  /// run to its end.
  bool complete() const { return unfinished.empty() && neverRun.empty() && untaken.empty(); }
  std::uint64_t withoutSkipping = 0; // runs repeated in full: the files repeat differently, or what was skipped matters
};

class CoverageCollector {
public:
  explicit CoverageCollector(const Subject &subject) : subject(subject) {}
  void add(const Trace &trace);
  /// The ways that inputs decide and that no run has taken.
  std::set<Way> untaken() const;
  /// Everything but `runs`, `instructions` and `withoutSkipping`, which the caller counts. `open`: ways to be told of,
  /// where no run has taken them; `impossible`: those that none can take.
  KernelCoverage finish(const std::set<Way> &open = {}, const std::set<Way> &impossible = {}) const;

private:
  UntakenWay describe(const Way &way) const;

  const Subject &subject;
  std::set<BlockId> blocks;
  std::set<Way> ways;
  std::map<LoopId, LoopCoverage> loops;
  std::set<LoopId> entered, ended;
  std::set<std::uint32_t> cutAt, endlessAt;
};

} // namespace ptosync::replay
