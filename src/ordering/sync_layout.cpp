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
  std::vector<EventKey> before, now;
  if (const std::vector<EventKey> *known = placesIn(event))
    before = *known;
  for (const SyncPlace &place : list)
    now.push_back(place.at);
  auto contains = [](const std::vector<EventKey> &keys, EventKey key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (EventKey place : before)
    if (!contains(now, place))
      std::erase(eventsToChangeAt(place), event);
  for (const SyncPlace &place : list) {
    if (contains(before, place.at))
      continue;
    std::vector<EventKey> &there = eventsToChangeAt(place.at);
    there.insert(std::find(there.begin(), there.end(), place.inFrontOf), event);
  }
  recent.places[event] = std::move(now);
}

std::vector<EventKey> &SyncLayout::eventsToChangeAt(EventKey place) {
  return recent.inserted.try_emplace(place, insertedAt(place)).first->second;
}

const std::vector<EventKey> *SyncLayout::placesIn(EventKey event) const {
  if (auto found = recent.places.find(event); found != recent.places.end())
    return &found->second;
  if (!settled)
    return nullptr;
  auto found = settled->places.find(event);
  return found == settled->places.end() ? nullptr : &found->second;
}

std::vector<EventKey> SyncLayout::placesOf(EventKey event) const {
  const std::vector<EventKey> *found = placesIn(event);
  return found ? *found : std::vector<EventKey>{event};
}

const std::vector<EventKey> &SyncLayout::insertedAt(EventKey place) const {
  static const std::vector<EventKey> none;
  if (auto found = recent.inserted.find(place); found != recent.inserted.end())
    return found->second;
  if (!settled)
    return none;
  auto found = settled->inserted.find(place);
  return found == settled->inserted.end() ? none : found->second;
}

void SyncLayout::settle() {
  if (recent.places.empty() && recent.inserted.empty())
    return;
  Moves all = settled ? *settled : Moves();
  for (auto &[event, places] : recent.places)
    all.places[event] = std::move(places);
  for (auto &[place, events] : recent.inserted)
    all.inserted[place] = std::move(events);
  settled = std::make_shared<const Moves>(std::move(all));
  recent = Moves();
}

} // namespace ptosync
