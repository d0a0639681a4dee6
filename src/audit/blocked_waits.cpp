#include "audit/blocked_waits.h"

#include <algorithm>
#include <set>

namespace ptosync {
namespace {

struct Placed {
  const Event *event;
  StepId step;
  std::uint32_t index;
};

} // namespace

std::vector<const Statement *> blockedBehind(const Program &program, const Statement &wait) {
  std::vector<Placed> flags; // sets and waits
  for (StepId step : program.order)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i)
      if (const Event &event = program.steps[step][i];
          event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait)
        flags.push_back({&event, step, i});
  auto queue = [](const Placed &placed) {
    return placed.event->kind == Event::Kind::Set ? placed.event->source : placed.event->destination;
  };
  auto behind = [&](const Placed &holder, const Placed &held) {
    BlockId a = program.blockOf[holder.step], b = program.blockOf[held.step];
    return a == b ? holder.index < held.index : program.graph->dominates(a, b);
  };
  std::vector<Placed> holding; // waits that never end
  for (const Placed &placed : flags)
    if (placed.event->statement == &wait)
      holding.push_back(placed);
  if (holding.empty() || holding.front().event->lanes.size() != 1)
    return {};
  auto isHeld = [&](const Placed &placed) {
    return std::any_of(holding.begin(), holding.end(), [&](const Placed &holder) {
      return holder.event->destination == queue(placed) && behind(holder, placed);
    });
  };
  /// Every set that may feed the wait is held up, and there is one.
  auto starved = [&](const Placed &placed) {
    bool any = false;
    for (const Placed &set : flags) {
      if (set.event->kind != Event::Kind::Set)
        continue;
      bool feeds = std::any_of(set.event->lanes.begin(), set.event->lanes.end(), [&](std::uint32_t lane) {
        return std::count(placed.event->lanes.begin(), placed.event->lanes.end(), lane) != 0;
      });
      if (feeds && !isHeld(set))
        return false;
      any = any || feeds;
    }
    return any;
  };
  std::vector<const Statement *> others;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Placed &placed : flags) {
      bool known = std::any_of(holding.begin(), holding.end(), [&](const Placed &holder) {
        return holder.event->statement == placed.event->statement;
      });
      if (placed.event->kind != Event::Kind::Wait || known || !starved(placed))
        continue;
      holding.push_back(placed);
      others.push_back(placed.event->statement);
      grown = true;
    }
  }
  return starved(holding.front()) ? others : std::vector<const Statement *>();
}

} // namespace ptosync
