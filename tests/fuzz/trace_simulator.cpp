#include "fuzz/trace_simulator.h"

#include "fuzz/trace_builder.h"

#include <algorithm>
#include <tuple>

namespace ptosync::fuzz {

std::string describe(const Run &run) {
  return "n=" + std::to_string(run.length) + " c=" + std::to_string(run.limit) +
         " data=" + std::to_string(run.dataSeed);
}

bool ExactTile::sameAs(const ExactTile &other) const {
  auto all = [](const ExactTile &tile) {
    return std::tie(tile.address, tile.rows, tile.columns, tile.validRows, tile.validColumns, tile.elementBytes,
                    tile.columnMajor);
  };
  return eligible && other.eligible && all(*this) == all(other);
}

bool ExactTile::contiguous() const {
  return columnMajor ? validRows == rows || validColumns == 1 : validColumns == columns || validRows == 1;
}

std::int64_t ExactTile::vectorRepeats() const {
  std::int64_t perRepeat = 256 / elementBytes;
  return (validRows * validColumns + perRepeat - 1) / perRepeat;
}

namespace {

bool shareByte(const TraceAccess &a, const TraceAccess &b) {
  if (a.space != b.space)
    return false;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    std::int64_t begin = a.base + i * a.stride, end = begin + a.rowBytes;
    for (std::int64_t j = 0; j < b.rows; ++j) {
      std::int64_t otherBegin = b.base + j * b.stride;
      if (otherBegin < end && begin < otherBegin + b.rowBytes)
        return true;
    }
  }
  return false;
}

} // namespace

TraceSimulator::TraceSimulator(const FuzzKernel &kernel, LibraryTrust trust, const Run &run) {
  TraceBuilder(*this, kernel, trust, run).build();
  inputClocks = startClocks({});
}

std::vector<TraceSimulator::Clock> TraceSimulator::startClocks(const std::set<std::uint32_t> &removedLines) const {
  std::array<Clock, kPipeCount> clocks{};
  Clock issued{};
  std::map<TraceFlag, Clock> pending; // flags that are set
  std::vector<Clock> result(nodes.size());
  for (const Event &event : events) {
    switch (event.kind) {
    case Event::Kind::Access:
      result[event.node] = clocks[index(event.source)];
      ++issued[index(event.source)];
      break;
    case Event::Kind::Barrier:
      if (event.line && removedLines.count(event.line))
        break;
      if (event.source == Pipe::All)
        clocks.fill(issued);
      else
        clocks[index(event.source)][index(event.source)] = issued[index(event.source)];
      break;
    case Event::Kind::Set: {
      Clock fires = clocks[index(event.source)];
      fires[index(event.source)] = issued[index(event.source)];
      auto [flag, inserted] = pending.try_emplace({event.source, event.destination, event.id}, fires);
      if (!inserted) // set twice: who waits knows the less of both
        for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
          flag->second[pipe] = std::min(flag->second[pipe], fires[pipe]);
      break;
    }
    case Event::Kind::Wait: {
      auto flag = pending.find({event.source, event.destination, event.id});
      if (flag == pending.end())
        break; // waits for nothing that is set: orders nothing
      Clock &clock = clocks[index(event.destination)];
      for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
        clock[pipe] = std::max(clock[pipe], flag->second[pipe]);
      pending.erase(flag);
      break;
    }
    }
  }
  return result;
}

bool TraceSimulator::sameIteration(const TraceNode &earlier, const TraceNode &later) const {
  const auto &a = iterationStacks[earlier.iterations], &b = iterationStacks[later.iterations];
  return std::all_of(a.begin(), a.end(), [&](const auto &entry) {
    auto other = b.find(entry.first);
    return other == b.end() || other->second == entry.second;
  });
}

std::string TraceSimulator::conflict(const TraceNode &earlier, const TraceNode &later) const {
  if (earlier.instance == later.instance || (earlier.pipe == Pipe::S && later.pipe == Pipe::S))
    return {};
  using Role = TraceNode::Role;
  if (earlier.role == Role::Set || earlier.role == Role::Wait || later.role == Role::Set || later.role == Role::Wait)
    return earlier.role == Role::Wait && later.role == Role::Set && earlier.flag == later.flag ? "reuse" : "";
  if (earlier.role == Role::Fence || later.role == Role::Fence)
    return "fence";
  std::vector<std::pair<const TraceAccess *, const TraceAccess *>> pairs;
  for (const TraceAccess &a : earlier.accesses)
    for (const TraceAccess &b : later.accesses) {
      bool accumulator = a.space == static_cast<int>(Space::Accumulator) && earlier.pipe != later.pipe;
      if (!a.writes && !b.writes && !accumulator)
        continue;
      if (a.hidden && b.hidden && earlier.pipe == later.pipe)
        continue;
      if (shareByte(a, b))
        pairs.push_back({&a, &b});
    }
  if (pairs.empty())
    return {};
  // Same-access chain: what the earlier one wrote and the later one reads, exactly; and whatever
  // else the two do on exactly those bytes.
  if (earlier.pipe == Pipe::V && later.pipe == Pipe::V && sameIteration(earlier, later))
    for (const auto &[written, read] : pairs) {
      const ExactTile &tile = written->tile;
      if (!written->writes || !read->reads || written->hidden || read->hidden || !tile.sameAs(read->tile) ||
          !tile.contiguous() || tile.vectorRepeats() < 16)
        continue;
      if (std::all_of(pairs.begin(), pairs.end(), [&](const auto &pair) {
            return !pair.first->hidden && !pair.second->hidden && pair.first->tile.sameAs(tile) &&
                   pair.second->tile.sameAs(tile);
          }))
        return {};
    }
  const auto &[a, b] = pairs.front();
  return a->writes ? (b->reads ? "RAW" : "WAW") : b->writes ? "WAR" : "RAR";
}

std::optional<LostOrder> TraceSimulator::lostWithout(const std::set<std::uint32_t> &removedLines) const {
  std::vector<Clock> clocks = startClocks(removedLines);
  for (std::size_t later = 0; later < nodes.size(); ++later)
    for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
      for (std::uint32_t number = clocks[later][pipe]; number < inputClocks[later][pipe]; ++number) {
        const TraceNode &earlier = nodes[nodesOfPipe[pipe][number]];
        std::string kind = conflict(earlier, nodes[later]);
        if (!kind.empty())
          return LostOrder{earlier.line, nodes[later].line, earlier.instance, nodes[later].instance, kind};
      }
  return std::nullopt;
}

std::size_t TraceSimulator::hazards() const {
  std::size_t count = 0;
  for (std::size_t later = 0; later < nodes.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (inputClocks[later][index(nodes[earlier].pipe)] < nodes[earlier].number &&
          !conflict(nodes[earlier], nodes[later]).empty())
        ++count;
  return count;
}

} // namespace ptosync::fuzz
