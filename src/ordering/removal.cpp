// Pending: tentative removal and following what a barrier faces.
#include "ordering/pending.h"

#include <algorithm>

namespace ptosync {

bool Pending::Difference::empty() const {
  return std::all_of(rows.begin(), rows.end(), [](const auto &row) { return row.second.empty(); });
}

/// What the removed barrier would have ended.
void Pending::seed(Difference &difference, StepId step, std::uint32_t at) const {
  const Event &event = program.blocks[step][at];
  auto record = stored.find({step, at});
  if (record == stored.end())
    return; // never reached
  for (const auto &[row, before] : record->second.rows) {
    if (row >= kPipeCount)
      continue;
    BitSet ended = before;
    if (event.source != Pipe::All)
      ended.intersect(model.column(event.source));
    auto [entryRow, inserted] = difference.rows.try_emplace(row, ended);
    if (!inserted)
      entryRow->second.unite(ended);
  }
}

bool Pending::checkNode(const Difference &difference, NodeId id, Trial &trial) {
  const Node &node = program.nodes[id];
  auto row = difference.rows.find(index(node.pipe));
  if (row == difference.rows.end())
    return true;
  auto refuse = [&](std::uint32_t bit, std::optional<ConflictPair> pair) {
    trial.fence = !pair;
    trial.witness = pair ? *pair : ConflictPair{bit, id, HazardKind::Fence, kNone, kNone};
    return false;
  };
  // Order relative to an opaque fence, on either side of it.
  bool kept = true;
  if (node.fence)
    row->second.forEach([&](std::uint32_t bit) {
      bool itself = program.nodes[program.nodeOfBit[bit]].statement == node.statement &&
                    program.distanceOf(bit).sameIteration();
      if (kept && !itself)
        kept = refuse(bit, std::nullopt);
    });
  if (!kept)
    return false;
  if (!row->second.forEachShared(model.fences(), [&](std::uint32_t bit) {
        const Node &earlier = program.nodes[program.nodeOfBit[bit]];
        if (earlier.statement == node.statement || earlier.release)
          return true; // fences among themselves were looked at above
        return refuse(bit, std::nullopt);
      }))
    return false;
  return row->second.forEachShared(model.candidates(id), [&](std::uint32_t bit) {
    std::optional<ConflictPair> pair = model.conflict(bit, id);
    if (!pair || model.excuse(bit, id) == Excuse::Justified)
      return true;
    return refuse(bit, pair);
  });
}

/// A set must still come after the wait that consumes the flag's last setting.
bool Pending::checkReuse(const Difference &difference, const Event &event, Trial &trial) const {
  auto row = difference.rows.find(index(event.source));
  if (event.kind != Event::Kind::Set || row == difference.rows.end())
    return true;
  for (std::uint32_t lane : event.lanes)
    if (!row->second.forEachShared(model.waits(lane), [&](std::uint32_t bit) {
          trial.witness = ConflictPair{bit, event.node, HazardKind::FlagReuse, kNone, kNone};
          return false;
        }))
      return false;
  return true;
}

void Pending::note(StepId step, std::uint32_t at, const Difference &difference) {
  auto record = stored.find({step, at});
  if (record == stored.end())
    return;
  Difference &noted = trialNotes[{step, at}];
  for (const auto &[row, before] : record->second.rows) {
    auto extra = difference.rows.find(row);
    if (extra == difference.rows.end())
      continue;
    auto [entryRow, inserted] = noted.rows.try_emplace(row, extra->second);
    if (!inserted)
      entryRow->second.unite(extra->second);
  }
}

/// The difference behind a sync that stays, from the one in front of it.
void Pending::differSync(Difference &difference, StepId step, std::uint32_t at) {
  const Event &event = program.blocks[step][at];
  const Stored &record = stored.at({step, at});
  auto rowOf = [&](std::size_t row) {
    auto found = difference.rows.find(row);
    return found == difference.rows.end() ? BitSet(program.bits) : found->second;
  };
  if (event.kind == Event::Kind::Barrier) {
    if (event.source == Pipe::All)
      for (std::size_t row = 0; row < kPipeCount; ++row)
        difference.rows.erase(row);
    else if (auto row = difference.rows.find(index(event.source)); row != difference.rows.end())
      row->second.subtract(model.column(event.source));
    return;
  }
  if (event.kind == Event::Kind::Set) {
    BitSet row = rowOf(index(event.source));
    row.subtract(model.column(event.source));
    for (std::size_t i = 0; i < event.lanes.size(); ++i) {
      std::size_t lane = kPipeCount + event.lanes[i];
      bool replaces = event.lanes.size() == 1 && record.tokens[i] == Token::Empty;
      BitSet merged = row;
      if (!replaces)
        merged.unite(rowOf(lane));
      difference.rows[lane] = std::move(merged);
    }
    return;
  }
  if (event.lanes.size() != 1)
    return; // covers nothing, with or without
  std::size_t lane = kPipeCount + event.lanes[0], destination = index(event.destination);
  if (record.tokens[0] == Token::Full) {
    // (base + extra) of the row meets (base + extra) of the flag, minus base meets base.
    BitSet extraRow = rowOf(destination), extraFlag = rowOf(lane);
    BitSet allRow = record.rows.at(destination), allFlag = record.rows.at(lane);
    BitSet covered = allRow;
    covered.intersect(allFlag);
    allRow.unite(extraRow);
    allFlag.unite(extraFlag);
    allRow.intersect(allFlag);
    allRow.subtract(covered);
    difference.rows[destination] = std::move(allRow);
  }
  difference.rows.erase(lane);
}

bool Pending::runBlock(StepId step, Difference &difference, Trial &trial) {
  const std::vector<Event> &events = program.blocks[step];
  std::uint32_t lastSeed = 0;
  bool seeds = false;
  for (SiteId site : trialSites)
    for (const Key &key : siteEvents[site])
      if (key.first == step) {
        lastSeed = std::max(lastSeed, key.second);
        seeds = true;
      }
  std::uint32_t start = 0;
  if (difference.empty() && seeds) {
    start = lastSeed;
    for (SiteId site : trialSites)
      for (const Key &key : siteEvents[site])
        if (key.first == step)
          start = std::min(start, key.second);
  }
  for (std::uint32_t i = start; i < events.size(); ++i) {
    const Event &event = events[i];
    if (event.kind == Event::Kind::Access) {
      if (!checkNode(difference, event.node, trial))
        return false;
    } else {
      note(step, i, difference);
      if (event.site != kNone && trialSites.count(event.site))
        seed(difference, step, i);
      else if (!isRemoved(event)) {
        if (!checkReuse(difference, event, trial))
          return false;
        differSync(difference, step, i);
      }
    }
    if ((!seeds || i >= lastSeed) && difference.empty()) {
      difference.rows.clear();
      return true;
    }
  }
  // Draining every pipe may be the kernel's own end fence: what follows on the device must find
  // everything as it was. A barrier of one pipe holds back nothing but that pipe's own queue.
  const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
  if (end.kind == Terminator::Kind::Return && trialDrainsAll && !difference.empty()) {
    for (const auto &[row, bits] : difference.rows)
      bits.forEach([&](std::uint32_t bit) {
        if (!trial.witness)
          trial.witness = ConflictPair{bit, kNone, HazardKind::Fence, kNone, kNone};
      });
    trial.fence = trial.atEnd = true;
    return false;
  }
  return true;
}

Pending::Trial Pending::tryRemoval(const std::set<SiteId> &sites) {
  Trial trial;
  trialSites = sites;
  trialEntry.clear();
  trialNotes.clear();
  std::set<std::uint32_t> work; // positions in reverse post-order
  std::map<StepId, std::uint32_t> position;
  const std::vector<StepId> &order = program.order;
  for (std::uint32_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  trialDrainsAll = false;
  for (SiteId site : sites)
    for (const Key &key : siteEvents[site])
      if (position.count(key.first)) {
        work.insert(position[key.first]);
        trialDrainsAll |= program.blocks[key.first][key.second].source == Pipe::All;
      }
  while (!work.empty()) {
    StepId step = order[*work.begin()];
    work.erase(work.begin());
    Difference difference = trialEntry[step];
    if (!runBlock(step, difference, trial)) {
      trialSites.clear();
      return trial;
    }
    for (const Edge &edge : program.edges[step]) {
      Difference &target = trialEntry[edge.to];
      bool grown = false;
      for (const auto &[row, bits] : difference.rows) {
        BitSet extra = bits;
        if (edge.around != kNone)
          age(extra, edge.around);
        extra.subtract(entry[edge.to].rows[row]);
        if (extra.empty())
          continue;
        auto [entryRow, inserted] = target.rows.try_emplace(row, extra);
        grown |= inserted || entryRow->second.unite(extra);
      }
      if (grown)
        work.insert(position[edge.to]);
    }
  }
  trial.allowed = true;
  return trial;
}

void Pending::commit() {
  for (const auto &[step, difference] : trialEntry)
    for (const auto &[row, bits] : difference.rows)
      entry[step].rows[row].unite(bits);
  for (const auto &[key, difference] : trialNotes)
    for (const auto &[row, bits] : difference.rows)
      stored.at(key).rows.at(row).unite(bits);
  removedSites.insert(trialSites.begin(), trialSites.end());
  trialSites.clear();
}

void Pending::follow(SiteId site, const Follow &callbacks) const {
  auto places = siteEvents.find(site);
  if (places == siteEvents.end())
    return;
  for (std::size_t row = 0; row < kPipeCount; ++row) {
    Pipe pipe = static_cast<Pipe>(row);
    std::map<StepId, BitSet> reached;      // tracked at block entry
    std::vector<std::pair<Key, BitSet>> work; // from an event on
    for (const Key &key : places->second) {
      const BitSet *before = rowBefore(key.first, key.second, row);
      if (!before)
        continue;
      BitSet tracked = *before;
      const Event &event = program.blocks[key.first][key.second];
      if (event.source != Pipe::All)
        tracked.intersect(model.column(event.source));
      if (!tracked.empty())
        work.push_back({{key.first, key.second + 1}, std::move(tracked)});
    }
    while (!work.empty()) {
      auto [key, tracked] = std::move(work.back());
      work.pop_back();
      for (std::uint32_t i = key.second; i < program.blocks[key.first].size() && !tracked.empty(); ++i) {
        const Event &event = program.blocks[key.first][i];
        if (event.kind == Event::Kind::Access) {
          if (program.nodes[event.node].pipe == pipe)
            tracked.forEachShared(model.candidates(event.node), [&](std::uint32_t bit) {
              if (std::optional<ConflictPair> pair = model.conflict(bit, event.node))
                callbacks.ruled(*pair);
              return true;
            });
          continue;
        }
        bool mine = event.kind == Event::Kind::Wait ? event.destination == pipe
                                                    : event.kind == Event::Kind::Barrier &&
                                                          (event.source == pipe || event.source == Pipe::All);
        if (!mine || isRemoved(event))
          continue;
        BitSet left = tracked;
        left.intersect(rowAfter(key.first, i, pipe));
        BitSet ended = tracked;
        ended.subtract(left);
        ended.forEach([&](std::uint32_t bit) { callbacks.completed(pipe, {bit, key.first, i}); });
        tracked = std::move(left);
      }
      if (tracked.empty())
        continue;
      for (const Edge &edge : program.edges[key.first]) {
        BitSet next = tracked;
        if (edge.around != kNone)
          age(next, edge.around);
        auto [known, inserted] = reached.try_emplace(edge.to, next);
        if (inserted || known->second.unite(next))
          work.push_back({{edge.to, 0}, known->second});
      }
    }
  }
}

} // namespace ptosync
