// One instance of an instruction followed forwards, breadth first: what comes nearest to it?
//
// Each step is entered once, by the shortest way there, and so with the least distance between the iterations; a search
// for what to show, and no proof: what another way would bring is not seen. Ages the instance where an edge goes round
// a loop. Tested by tests/ordering/follow_instance_test.cpp.
#pragma once

#include "ordering/program.h"
#include "ordering/syncs.h"

#include <llvm/ADT/DenseSet.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace ptosync {

enum class Onward : std::uint8_t {
  Follow, // the edges out of the step
  Stop,   // not beyond this step
  End     // nothing more is looked for
};

/// Where a node first stands in the order of the program; empty if no step that is reached has it.
inline std::optional<EventKey> firstPlaceOf(const Program &program, NodeId node) {
  for (StepId step : program.order)
    if (program.blockOf[step] == program.nodes[node].block)
      return EventKey{step, program.nodes[node].event};
  return std::nullopt;
}

/// The least that a way carries along.
struct FollowedInstance {
  std::uint32_t bit;
};

/// Follows an instance from behind the event `from`. `Way` is what is carried along; its `bit` stands for the instance.
/// `run(step, first, way)` looks at the events of a step from number `first` on. Ends when `mostSteps` have been
/// entered.
template <typename Way, typename Run>
void followInstance(const Program &program, EventKey from, Way start, std::size_t mostSteps, Run run) {
  struct Entered {
    StepId step;
    std::uint32_t first;
    Way way;
  };
  std::deque<Entered> queue;
  queue.push_back({from.first, from.second + 1, std::move(start)});
  llvm::DenseSet<StepId> known;
  while (!queue.empty() && known.size() < mostSteps) {
    Entered here = std::move(queue.front());
    queue.pop_front();
    Onward onward = run(here.step, here.first, here.way);
    if (onward == Onward::End)
      return;
    if (onward == Onward::Stop)
      continue;
    for (const Edge &edge : program.edges[here.step]) {
      if (!known.insert(edge.to).second)
        continue;
      Way next = here.way;
      next.bit = program.agedBit(next.bit, edge.around);
      queue.push_back({edge.to, 0, std::move(next)});
    }
  }
}

} // namespace ptosync
