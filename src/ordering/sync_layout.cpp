#include "ordering/sync_layout.h"

namespace ptosync {

void SyncLayout::apply(const SyncEdit &edit) {
  for (SiteId site : edit.removed) {
    if (site >= removedSites.size())
      removedSites.resize(site + 1, false);
    removedSites[site] = true;
  }
  for (const auto &[event, place] : edit.moves) {
    if (auto before = places.find(event); before != places.end())
      std::erase(inserted[before->second], event);
    places[event] = place.at;
    std::vector<EventKey> &there = inserted[place.at];
    there.insert(std::find(there.begin(), there.end(), place.inFrontOf), event);
  }
}

EventKey SyncLayout::placeOf(EventKey event) const {
  auto found = places.find(event);
  return found == places.end() ? event : found->second;
}

const std::vector<EventKey> &SyncLayout::insertedAt(EventKey place) const {
  static const std::vector<EventKey> none;
  if (inserted.empty())
    return none;
  auto found = inserted.find(place);
  return found == inserted.end() ? none : found->second;
}

} // namespace ptosync
