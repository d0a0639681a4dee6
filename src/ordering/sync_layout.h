// Where the syncs of a program stand after edits: some are out, some stand elsewhere.
//
//   Program::steps + SyncLayout --forEach--> the events of a step in the order in which they now run
//
// An event keeps its key, its step and position in Program::steps, wherever it stands; so what is
// stored per event survives a move. Nothing is checked here: whether an edit is allowed is for
// Pending to prove.
// Tested by tests/ordering/sync_layout_test.cpp.
#pragma once

#include "ordering/program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ptosync {

/// A step and a position in its list of Program::steps. As a place: in front of the event there; the
/// list's length stands for the step's end.
using EventKey = std::pair<StepId, std::uint32_t>;

/// Where an event is to stand: at a place, behind what was put there before, or in front of one of those.
struct SyncPlace {
  SyncPlace(EventKey at) : at(at) {}
  SyncPlace(EventKey at, EventKey inFrontOf) : at(at), inFrontOf(inFrontOf) {}

  EventKey at;
  EventKey inFrontOf = {kNone, kNone}; // an event that was put there; none: behind all of them
};

/// Sites to take out, and events to put elsewhere.
struct SyncEdit {
  std::set<SiteId> removed;
  /// By event: where it stands from now on. Several places are copies of one statement, of which each
  /// path runs at most one.
  std::map<EventKey, std::vector<SyncPlace>> moves;
};

/// A copy is cheap: it shares what its origin has settled.
class SyncLayout {
public:
  void apply(const SyncEdit &edit);
  /// To be called when this becomes the layout that others are copied from.
  void settle();

  bool removed(SiteId site) const { return site < removedSites.size() && removedSites[site]; }
  /// True if the event no longer stands where Program::steps has it.
  bool moved(EventKey event) const { return placesIn(event) != nullptr; }
  /// Where the event stands: its own key unless it was moved.
  std::vector<EventKey> placesOf(EventKey event) const;
  /// The events that were put in front of `place`, in the order in which they run.
  const std::vector<EventKey> &insertedAt(EventKey place) const;

  /// Calls `visit(key, event)` for each event of `step` that is left, in order, until it returns false.
  template <typename Visit> void forEach(const Program &program, StepId step, Visit visit) const {
    forEachFrom(program, step, 0, visit);
  }
  /// The same from position `first` of Program::steps on, with what was put in front of it.
  template <typename Visit>
  void forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const;

  /// True if something was put into the step.
  bool anyInserted(StepId step) const {
    auto in = [step](const Lists &lists) {
      auto place = lists.lower_bound({step, 0});
      return place != lists.end() && place->first.first == step;
    };
    return in(recent.inserted) || (settled && in(settled->inserted));
  }
  /// Calls `visit(key, inBefore, inAfter)` for what either layout has in front of `place`, in the order in
  /// which it runs. What both have there must stand in the same order.
  template <typename Visit>
  static void forEachInserted(const SyncLayout &before, const SyncLayout &after, EventKey place, Visit visit);

private:
  using Lists = std::map<EventKey, std::vector<EventKey>>;
  struct Moves {
    Lists places;   // event -> places
    Lists inserted; // place -> events
  };

  void put(EventKey event, const std::vector<SyncPlace> &list);
  std::vector<EventKey> &eventsToChangeAt(EventKey place);
  const std::vector<EventKey> *placesIn(EventKey event) const;

  std::vector<bool> removedSites;       // by site, as far as needed
  std::shared_ptr<const Moves> settled; // may be null
  Moves recent;                         // stands for what `settled` has of the same key
};

template <typename Visit>
void SyncLayout::forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const {
  const std::vector<Event> &events = program.steps[step];
  const bool inserted = anyInserted(step);
  for (std::uint32_t i = first; i <= events.size(); ++i) {
    if (inserted)
      for (EventKey key : insertedAt({step, i})) {
        const Event &event = program.steps[key.first][key.second];
        if (!removed(event.site) && !visit(key, event))
          return;
      }
    if (i == events.size())
      return;
    bool stays = events[i].site == kNone || (!removed(events[i].site) && !moved({step, i})); // syncs alone are edited
    if (stays && !visit(EventKey{step, i}, events[i]))
      return;
  }
}

template <typename Visit>
void SyncLayout::forEachInserted(const SyncLayout &before, const SyncLayout &after, EventKey place, Visit visit) {
  const std::vector<EventKey> &old = before.insertedAt(place), &now = after.insertedAt(place);
  if (old.empty() && now.empty())
    return;
  auto stays = [&now](EventKey key) { return std::find(now.begin(), now.end(), key) != now.end(); };
  auto next = old.begin();
  for (EventKey key : now) {
    auto here = std::find(next, old.end(), key);
    if (here == old.end()) {
      visit(key, false, true);
      continue;
    }
    for (; next != here; ++next)
      if (!stays(*next))
        visit(*next, true, false);
    visit(key, true, true);
    ++next;
  }
  for (; next != old.end(); ++next)
    if (!stays(*next))
      visit(*next, true, false);
}

} // namespace ptosync
