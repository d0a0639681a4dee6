// Copies the blocks of loops once per phase of the tables that decide their event ids.
//
//   block b in a loop of period 3 --> steps (b, 0), (b, 1), (b, 2); back edge (latch, f) -> (header, f + 1)
//
// A loop is entered in phase 0 because its iterations are counted from there. Exact: every path of
// the kernel is a path over steps and the reverse.
// Tested by tests/ordering/phase_expansion_test.cpp.
#pragma once

#include "ordering/program.h"

#include <functional>
#include <map>

namespace ptosync {

class PhaseExpansion {
public:
  /// `periods`: copies wanted of each loop's blocks, 1 for none.
  PhaseExpansion(Program &program, std::vector<std::uint32_t> periods)
      : program(program), periods(std::move(periods)) {}

  /// Visits every event of every step that lies in an expanded loop, with the phases there.
  using Visit = std::function<void(StepId, std::uint32_t, const std::map<LoopId, std::uint32_t> &)>;
  void run(const Visit &visit);

private:
  /// Expanded loops around a block, outermost first.
  std::vector<LoopId> expandedAround(BlockId block) const;
  std::uint32_t copies(BlockId block) const;
  std::map<LoopId, std::uint32_t> phasesOf(BlockId block, std::uint32_t copy) const;
  std::uint32_t copyOf(BlockId block, const std::map<LoopId, std::uint32_t> &phases) const;
  StepId step(BlockId block, std::uint32_t copy) const { return copy == 0 ? block : firstCopy[block] + copy - 1; }

  Program &program;
  std::vector<std::uint32_t> periods;
  std::vector<StepId> firstCopy; // step of copy 1, by block
};

} // namespace ptosync
