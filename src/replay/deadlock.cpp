#include "replay/deadlock.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

std::string placeOf(const Event &event) {
  return event.statement ? "line " + std::to_string(event.statement->line) : "an unknown line";
}

const Stuck *stuckPipe(const Schedule &schedule, Pipe pipe) {
  auto found = std::find_if(schedule.stuck.begin(), schedule.stuck.end(),
                            [&](const Stuck &stuck) { return stuck.pipe == pipe; });
  return found == schedule.stuck.end() ? nullptr : &*found;
}

/// The set that would let the wait go, if the pipe it is on got there.
const FlagUse *awaitedSet(const Schedule &schedule, const Event &wait, std::uint32_t event) {
  auto history = schedule.flags.find(Flag{wait.source, wait.destination, wait.id});
  if (history == schedule.flags.end())
    return nullptr;
  std::size_t number = 0;
  for (const FlagUse &use : history->second.waits) {
    if (use.event == event)
      break;
    number += !use.inside;
  }
  for (const FlagUse &set : history->second.sets)
    if (!set.inside && number-- == 0)
      return &set;
  return nullptr;
}

} // namespace

std::string explainDeadlock(const Trace &trace, const Schedule &schedule) {
  if (schedule.stuck.empty())
    return {};
  std::string text;
  std::set<Pipe> seen;
  const Stuck *stuck = &schedule.stuck.front();
  for (const Stuck &candidate : schedule.stuck) // begin at a wait: a PIPE_ALL only waits for the others
    if (trace.events[candidate.event].kind == Event::Kind::WaitFlag) {
      stuck = &candidate;
      break;
    }
  while (stuck) {
    const Event &event = trace.events[stuck->event];
    std::string pipe(pipeName(stuck->pipe));
    if (!seen.insert(stuck->pipe).second)
      return text + "; and so round again to " + pipe;
    text += (text.empty() ? "" : "; ") + pipe;
    if (event.kind != Event::Kind::WaitFlag)
      return text + " stands at the PIPE_ALL at " + placeOf(event) + ", which the others do not reach";
    text += " waits at " + placeOf(event) + " for flag " + flagName({event.source, event.destination, event.id});
    const FlagUse *set = awaitedSet(schedule, event, stuck->event);
    if (!set)
      return text + ", which nothing sets";
    text += ", set at " + placeOf(trace.events[set->event]) + " on " + std::string(pipeName(event.source));
    stuck = stuckPipe(schedule, event.source);
  }
  return text;
}

} // namespace ptosync::replay
