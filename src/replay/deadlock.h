// Why a run gets stuck: the waits that wait for one another, or for nothing.
//
// Tested by tests/replay/deadlock_test.cpp.
#pragma once

#include "replay/schedule.h"

#include <string>

namespace ptosync::replay {

/// One sentence that follows the blocked pipes from one to the next until the circle closes or a
/// wait turns out to have no set. Empty if nothing is stuck.
std::string explainDeadlock(const Trace &trace, const Schedule &schedule);

} // namespace ptosync::replay
