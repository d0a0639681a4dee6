// Which loads of global memory give one value wherever they stand: `if (d[1] > 1) set; ... if (d[1] > 1) wait`.
//
//   Program of loads that may be anything --who may write where, what stands between--> memory state of each load
//
// A load is steady if no instruction of the kernel may write to the argument that it reads, by any pipe and at any
// distance. Its value then is that of the memory as the kernel's last dealing with others left it. Others are other
// cores, ranks and the host: a fence, a signal, a call that nothing is known about, a volatile access, and a loop that
// does nothing but look at memory begin a new state. Two loads of one address in one state have one value.
//
// The states are numbered as a variable is that every such statement assigns to: they join where paths join, and one
// of a loop is another one in each iteration. That is sound for a kernel without races on the memory it loads from.
// With such a race no reading of it is right, so the loads of `opt` and of the replay stay what they are; this is for
// readers of a kernel (OrderingOptions::followConditions).
// Tested by tests/ordering/steady_loads_test.cpp.
#pragma once

#include "ordering/scalar_analysis.h"

#include <map>
#include <utility>

namespace ptosync {

struct Program;

/// The memory states of the steady loads, by block and statement. The program is one that was built without any.
std::map<StatementPlace, MemoryState> steadyLoads(const Program &program);

} // namespace ptosync
