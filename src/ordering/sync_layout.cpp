#include "ordering/sync_layout.h"

namespace ptosync {

void SyncLayout::apply(const SyncEdit &edit) {
  for (SiteId site : edit.removed) {
    if (site >= removedSites.size())
      removedSites.resize(site + 1, false);
    removedSites[site] = true;
  }
  for (const auto &[event, list] : edit.moves)
    put(event, list);
}

/// What stays where it was keeps its rank there.
void SyncLayout::put(EventKey event, const std::vector<SyncPlace> &list) {
  std::vector<EventKey> before = std::move(places[event]), &now = places[event];
  now.clear();
  for (const SyncPlace &place : list)
    now.push_back(place.at);
  auto contains = [](const std::vector<EventKey> &keys, EventKey key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (EventKey place : before)
    if (!contains(now, place))
      std::erase(inserted[place], event);
  for (const SyncPlace &place : list) {
    if (contains(before, place.at))
      continue;
    std::vector<EventKey> &there = inserted[place.at];
    there.insert(std::find(there.begin(), there.end(), place.inFrontOf), event);
  }
}

std::vector<EventKey> SyncLayout::placesOf(EventKey event) const {
  auto found = places.find(event);
  return found == places.end() ? std::vector<EventKey>{event} : found->second;
}

const std::vector<EventKey> &SyncLayout::insertedAt(EventKey place) const {
  static const std::vector<EventKey> none;
  if (inserted.empty())
    return none;
  auto found = inserted.find(place);
  return found == inserted.end() ? none : found->second;
}

} // namespace ptosync
