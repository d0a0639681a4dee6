// Pending: what a sync faces, and where that would have mattered.
#include "ordering/pending.h"

namespace ptosync {

Pending::Faced Pending::facedBy(SiteId site) const {
  Faced faced;
  for (EventKey key : eventsOf(site)) {
    auto record = stored.find(key);
    const Event &event = program.steps[key.first][key.second];
    if (record == stored.end() || event.kind == Event::Kind::Set)
      continue;
    for (const auto &[row, before] : record->second.rows) {
      if (row >= kPipeCount)
        continue;
      BitSet ended = before;
      if (event.kind == Event::Kind::Wait) {
        if (event.lanes.size() != 1 || record->second.tokens[0] != Token::Full)
          continue;
        ended.subtract(record->second.rows.at(kPipeCount + event.lanes[0]));
      } else if (event.source != Pipe::All) {
        ended.intersect(model.column(event.source));
      }
      if (!ended.empty())
        faced[key].emplace(row, std::move(ended));
    }
  }
  return faced;
}

void Pending::follow(const Faced &faced, const Follow &callbacks) const {
  for (std::size_t row = 0; row < kPipeCount; ++row) {
    Pipe pipe = static_cast<Pipe>(row);
    std::map<StepId, BitSet> reached;              // tracked at step entry
    std::vector<std::pair<EventKey, BitSet>> work; // from a place on
    for (const auto &[key, rows] : faced)
      if (auto bits = rows.find(row); bits != rows.end())
        work.push_back({{key.first, key.second + 1}, bits->second});
    while (!work.empty()) {
      auto [place, tracked] = std::move(work.back());
      work.pop_back();
      currentLayout.forEachFrom(program, place.first, place.second,
                                [&, &tracked = tracked](EventKey key, const Event &event) {
                                  followEvent(pipe, key, event, tracked, callbacks);
                                  return !tracked.empty();
                                });
      if (tracked.empty())
        continue;
      for (const Edge &edge : program.edges[place.first]) {
        BitSet next = tracked;
        if (edge.around != kNone)
          age(program, next.row(), edge.around);
        auto [known, inserted] = reached.try_emplace(edge.to, next);
        if (inserted || known->second.unite(next))
          work.push_back({{edge.to, 0}, known->second});
      }
    }
  }
}

void Pending::followEvent(Pipe pipe, EventKey key, const Event &event, BitSet &tracked, const Follow &callbacks) const {
  if (event.kind == Event::Kind::Access) {
    if (program.nodes[event.node].pipe == pipe)
      tracked.forEachShared(model.candidates(event.node), [&](std::uint32_t bit) {
        if (std::optional<ConflictPair> pair = model.conflict(bit, event.node))
          callbacks.ruled(*pair);
        return true;
      });
    return;
  }
  bool mine = event.kind == Event::Kind::Wait
                  ? event.destination == pipe
                  : event.kind == Event::Kind::Barrier && (event.source == pipe || event.source == Pipe::All);
  if (!mine)
    return;
  BitSet left = tracked;
  left.intersect(rowAfter(key.first, key.second, pipe));
  BitSet ended = tracked;
  ended.subtract(left);
  ended.forEach([&](std::uint32_t bit) { callbacks.completed(pipe, {bit, key.first, key.second}); });
  tracked = std::move(left);
}

} // namespace ptosync
