// Where the syncs of a program stand after edits: some are out, some stand elsewhere.
//
//   Program::blocks + SyncLayout --forEach--> the events of a step in the order in which they now run
//
// An event keeps its key, its step and position in Program::blocks, wherever it stands; so what is
// stored per event survives a move. Nothing is checked here: whether an edit is allowed is for
// Pending to prove.
// Tested by tests/ordering/sync_layout_test.cpp.
#pragma once

#include "ordering/program.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ptosync {

/// A step and a position in its list of Program::blocks. As a place: in front of the event there; the
/// list's length stands for the step's end.
using EventKey = std::pair<StepId, std::uint32_t>;

/// Sites to take out, and events to put elsewhere.
struct SyncEdit {
  std::set<SiteId> removed;
  std::map<EventKey, EventKey> moves; // event -> place
};

class SyncLayout {
public:
  void apply(const SyncEdit &edit);

  bool removed(SiteId site) const { return site < removedSites.size() && removedSites[site]; }
  /// True if the event no longer stands where Program::blocks has it.
  bool moved(EventKey event) const { return !places.empty() && places.count(event) != 0; }
  /// Where the event stands; its own key unless it was moved.
  EventKey placeOf(EventKey event) const;
  /// The events that were put in front of `place`, in the order in which they came.
  const std::vector<EventKey> &insertedAt(EventKey place) const;

  /// Calls `visit(key, event)` for each event of `step` that is left, in order, until it returns false.
  template <typename Visit> void forEach(const Program &program, StepId step, Visit visit) const {
    forEachFrom(program, step, 0, visit);
  }
  /// The same from position `first` of Program::blocks on, with what was put in front of it.
  template <typename Visit>
  void forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const;

private:
  std::vector<bool> removedSites; // by site, as far as needed
  std::map<EventKey, EventKey> places;                // event -> place
  std::map<EventKey, std::vector<EventKey>> inserted; // place -> events
};

template <typename Visit>
void SyncLayout::forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const {
  const std::vector<Event> &events = program.blocks[step];
  for (std::uint32_t i = first; i <= events.size(); ++i) {
    for (EventKey key : insertedAt({step, i})) {
      const Event &event = program.blocks[key.first][key.second];
      if (!removed(event.site) && !visit(key, event))
        return;
    }
    if (i < events.size() && !removed(events[i].site) && !moved({step, i}) && !visit(EventKey{step, i}, events[i]))
      return;
  }
}

} // namespace ptosync
