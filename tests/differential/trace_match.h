// Is what the lifted kernel does what the native run did? A search for a run of the kernel that gives the native log.
//
// The kernel is executed block by block. Each instruction and sync must be the next one of the log: same name, operands
// at the same addresses with the same valid regions, shapes and strides, same pipes and id, same line. Loads and stores
// of the scalar unit must be at the same addresses, in the same order; what a load gives is taken from the log. Unknown
// matches anything; at a branch on an unknown condition both ways are tried, and what the reader shows as an opaque
// fence (`unread` are the names it has for that) may stand for any events of the log. The search is bounded; past its
// bounds the answer is Undecided. Tested by tests/differential/unit/trace_match_test.cpp.
#pragma once

#include "differential/native_run.h"
#include "kernel/kernel.h"

#include <set>
#include <string>

namespace ptosync::differential {

struct MatchBudget {
  std::size_t steps = 400000; // statements executed, over all ways tried
  std::size_t states = 20000; // ways tried
};

struct MatchResult {
  enum class Verdict : std::uint8_t { Same, Different, Undecided };
  Verdict verdict = Verdict::Same;
  std::string reason;         // Different: both sides at the place that was reached last
  std::uint32_t line = 0;     // Different: of the kernel, 0 unknown
  std::size_t events = 0;     // matched events of the log
  std::size_t operands = 0;   // operands and ids compared with a known value
  std::size_t unknown = 0;    // those that matched because the reader says unknown
  std::size_t extraLoads = 0; // loads that the reader shows and the run does not do; over all ways tried
};

MatchResult matchTrace(const Kernel &kernel, const SourceText &source, const NativeRun &run,
                       const std::map<std::string, std::int64_t> &queries, const std::set<std::string> &unread = {},
                       const MatchBudget &budget = {});

} // namespace ptosync::differential
