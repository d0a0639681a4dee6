// Finds the operations whose data an operation has to wait for: the latest earlier one of each kind that it conflicts
// with.
//
// Executions that do the same to the same on-chip bytes are of one kind, so conflicts are asked once for each pair of
// kinds. Global memory is compared by place, one access after the other.
// Tested by tests/timing/plan_test.cpp.
#pragma once

#include "replay/judge/conflict.h"
#include "replay/run/interpreter.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ptosync::timing {

class Dependences {
public:
  Dependences(const replay::Subject &subject, const replay::Trace &trace, const replay::ConflictRules &rules)
      : subject(subject), trace(trace), rules(rules) {}

  /// Appends the operations for which `operation`, an execution of `work` on `pipe`, waits.
  void add(std::uint32_t operation, std::uint32_t work, Pipe pipe, std::uint32_t iteration,
           std::vector<std::uint32_t> &found);

private:
  /// A kind of executions: those that touch the same bytes on the chip in the same way.
  struct Kind {
    replay::Work work; // with one phase, global memory left out
    std::vector<std::pair<std::uint32_t, std::uint8_t>>
        conflicts;                                     // with kinds; bit 0: within an iteration, bit 1: carried
    std::uint32_t last = kNone, lastIteration = kNone; // its latest operation
  };
  struct GlobalAccess {
    std::uint32_t operation = 0;
    replay::Extents bytes;
    bool writes = false;
  };

  std::uint32_t kindOf(std::uint32_t work, Pipe pipe);
  void connect(std::uint32_t kind);
  void addGlobal(std::uint32_t operation, const replay::Work &work, std::vector<std::uint32_t> &found);

  const replay::Subject &subject;
  const replay::Trace &trace;
  const replay::ConflictRules &rules;
  const replay::Decided asRun = {{}, /*everything=*/true}; // times are those of the run
  std::deque<Kind> kinds;
  std::vector<std::uint32_t> kindByWork;
  std::multimap<std::uint64_t, std::uint32_t> bySignature;
  std::map<std::uint32_t, std::vector<GlobalAccess>> global; // by argument
};

} // namespace ptosync::timing
