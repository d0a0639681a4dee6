// Writes one run of a kernel as a list of operations, each with its duration and the operations whose data it waits
// for.
//
//   Trace --makePlan--> Plan --runEngine--> how long it takes, with all syncs, without some, with data alone
//
// An operation is the main part of an instruction, or a sync. Its dependences are the operations whose bytes it
// conflicts with (RAW, WAR, WAW, less what the machine orders by itself), the latest of each kind. Iterations that
// the trace leaves out are counted by weights: each operation of the last period stands for those of the periods
// left out behind it. Places in global memory that are not known are taken to be apart: what the plan is for is a
// bound from below and a comparison, never the decision about a sync.
// Tested by tests/timing/plan_test.cpp.
#pragma once

#include "replay/judge/conflict.h"
#include "replay/run/interpreter.h"
#include "timing/cost_table.h"

#include <cstdint>
#include <vector>

namespace ptosync::timing {

struct Operation {
  enum class Kind : std::uint8_t {
    Work,
    Barrier, // of `pipe`, or of all
    Set,     // from `pipe` to `other`
    Wait,    // of `pipe` for `other`
    Fence,   // an opaque call: what precedes is finished before, what follows starts behind
  };
  Kind kind = Kind::Work;
  Pipe pipe = Pipe::S, other = Pipe::S;
  double throughput = 0, latency = 0;                // cycles
  std::uint32_t dependences = 0, dependencesEnd = 0; // into Plan::dependences
  std::uint32_t flag = 0;                            // Set, Wait: number below Plan::flags
  SiteId site = kNone;                               // syncs: in Module::sites
  std::uint32_t event = 0;                           // index into Trace::events
  replay::LoopId loop = kNone;                       // innermost
  double weight = 1;                                 // how many executions it stands for
};

struct Plan {
  std::vector<Operation> operations;      // in the order in which the scalar unit meets them
  std::vector<std::uint32_t> dependences; // indices into `operations`
  std::uint32_t flags = 0;
  IssueCost issue;
  bool extrapolated = false; // some operation stands for more than itself
};

/// Makes the plan of `trace`, which must be a run of `subject` in full detail.
Plan makePlan(const replay::Subject &subject, const replay::Trace &trace, const Machine &machine,
              const replay::ConflictRules &rules, const CostTable &costs);

} // namespace ptosync::timing
