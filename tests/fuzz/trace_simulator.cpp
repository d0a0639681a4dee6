#include "fuzz/trace_simulator.h"

#include "fuzz/trace_builder.h"

#include <algorithm>
#include <tuple>

namespace ptosync::fuzz {

std::string describe(const Run &run) {
  return "n=" + std::to_string(run.length) + " c=" + std::to_string(run.limit) + " r=" + std::to_string(run.rare) +
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

TraceSimulator::TraceSimulator(const FuzzKernel &kernel, LibraryTrust trust, const Run &run, Chip chip) : chip(chip) {
  for (auto &column : workNumbers)
    column.push_back(0);
  TraceBuilder(*this, kernel, trust, run).build();
  findOpenBrackets();
  known = clocksIn(Reading::OrderNothing);
  if (!open.empty())
    generous = clocksIn(Reading::OrderAll);
}

namespace {

template <typename Clock> void learn(Clock &clock, const Clock &more) {
  for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
    clock[pipe] = std::max(clock[pipe], more[pipe]);
}

} // namespace

TraceSimulator::Knowledge TraceSimulator::clocksIn(Reading reading) const {
  std::array<Clock, kPipeCount> knows{};
  Clock issued{};
  std::map<TraceFlag, Clock> pending;                                   // flags that are set
  std::map<std::int64_t, std::vector<std::pair<Pipe, Clock>>> releases; // by buffer id
  Knowledge result;
  result.clocks.resize(nodes.size());
  auto firing = [&](Pipe pipe) {
    Clock fires = knows[index(pipe)];
    fires[index(pipe)] = issued[index(pipe)];
    return fires;
  };
  for (const Event &event : events) {
    switch (event.kind) {
    case Event::Kind::Access:
      result.clocks[event.node] = knows[index(event.source)];
      ++issued[index(event.source)];
      break;
    case Event::Kind::Barrier:
      if (event.source == Pipe::All)
        knows.fill(issued);
      else
        knows[index(event.source)][index(event.source)] = issued[index(event.source)];
      break;
    case Event::Kind::Set: {
      const Clock fires = firing(event.source);
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
      learn(knows[index(event.destination)], flag->second);
      pending.erase(flag);
      break;
    }
    case Event::Kind::Release:
      if (reading == Reading::OrderAll || !open.count(event.id))
        releases[event.id].push_back({event.source, event.mode == 0 ? firing(event.source) : issued});
      break;
    case Event::Kind::Get:
      for (const auto &[pipe, clock] : releases[event.id])
        if (event.mode == 0 && pipe != event.source)
          learn(knows[index(event.source)], clock);
      break;
    }
  }
  result.scalarKnows = knows[index(Pipe::S)];
  for (std::size_t knower = 0; knower < kPipeCount; ++knower)
    for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
      if (knower != pipe)
        result.othersKnow[pipe] = std::max(result.othersKnow[pipe], knows[knower][pipe]);
  return result;
}

void TraceSimulator::findOpenBrackets() {
  constexpr std::int64_t kIds = 32;
  for (const BracketFault &fault : faultsOfBrackets())
    open.insert(fault.id);
  for (const Event &event : events)
    if ((event.kind == Event::Kind::Get || event.kind == Event::Kind::Release) &&
        (event.mode != 0 || event.id < 0 || event.id >= kIds))
      open.insert(event.id);
}

/// An id is taken by one bracket at a time, and given back by its pipe in its mode.
std::vector<TraceSimulator::BracketFault> TraceSimulator::faultsOfBrackets() const {
  std::vector<BracketFault> found;
  std::map<std::int64_t, const Event *> holders;
  for (const Event &event : events) {
    if (event.kind != Event::Kind::Get && event.kind != Event::Kind::Release)
      continue;
    auto held = holders.find(event.id);
    const Event *holder = held == holders.end() ? nullptr : held->second;
    auto add = [&](const char *what) {
      found.push_back({event.id, "line " + std::to_string(event.line) + ", time " + std::to_string(event.occurrence) +
                                     what + " (buffer id " + std::to_string(event.id) + ")"});
    };
    if (event.kind == Event::Kind::Get) {
      if (holder)
        add(" takes what is held");
      holders[event.id] = &event;
      continue;
    }
    if (!holder)
      add(" gives back what is not held");
    else if (holder->source != event.source)
      add(" gives back what another pipe holds");
    else if (holder->mode != event.mode)
      add(" gives back what is held in another mode");
    holders.erase(event.id);
  }
  for (const auto &[id, holder] : holders)
    if (!truncated)
      found.push_back({id, "buffer id " + std::to_string(id) + " is held at the end"});
  return found;
}

std::set<std::string> TraceSimulator::bracketFaults() const {
  std::set<std::string> texts;
  for (const BracketFault &fault : faultsOfBrackets())
    texts.insert(fault.text);
  return texts;
}

std::uint32_t TraceSimulator::workAmong(std::size_t pipe, std::uint32_t count) const {
  return workNumbers[pipe][count];
}

bool TraceSimulator::sameIteration(const TraceNode &earlier, const TraceNode &later) const {
  const auto &a = iterationStacks[earlier.iterations], &b = iterationStacks[later.iterations];
  return std::all_of(a.begin(), a.end(), [&](const auto &entry) {
    auto other = b.find(entry.first);
    return other == b.end() || other->second == entry.second;
  });
}

namespace {

/// Accumulation of ten fractals or more: the later product adds to exactly what the earlier one left.
bool addsInOrder(const TraceNode &earlier, const TraceNode &later,
                 const std::vector<std::pair<const TraceAccess *, const TraceAccess *>> &pairs) {
  if (std::min(earlier.fractals, later.fractals) < 10)
    return false;
  const TraceAccess *sum = nullptr;
  for (const auto &[a, b] : pairs) {
    if (a->space != static_cast<int>(Space::Accumulator) || a->base != b->base || a->rowBytes != b->rowBytes)
      return false;
    if (a->writes && b->reads)
      sum = b;
  }
  auto written = [&](const auto &pair) { return pair.first->writes && pair.second->writes; };
  return sum && std::any_of(pairs.begin(), pairs.end(), written);
}

} // namespace

/// True if one of the two is a call that talks to other cores, and holds the other one.
bool TraceSimulator::fenceBetween(const TraceNode &earlier, const TraceNode &later) {
  const bool first = earlier.fence != TraceFence::None, second = later.fence != TraceFence::None;
  // A signal is on its way, whatever waits behind it.
  if (earlier.fence == TraceFence::Release && later.fence == TraceFence::Acquire)
    return false;
  const bool holds = (first && second) || (first && earlier.fence != TraceFence::Release) ||
                     (second && later.fence != TraceFence::Acquire);
  if (!holds)
    return false;
  // A call that moves no data is an entry of its queue without duration, and one for global memory that the other core
  // may see by it.
  if (earlier.pipe == later.pipe)
    return earlier.signal < 0;
  if (first && second)
    return earlier.signal < 0 || later.signal < 0 || earlier.signal == later.signal;
  const TraceNode &call = first ? earlier : later, &other = first ? later : earlier;
  auto seenByOthers = [&](const TraceAccess &access) {
    const bool global = access.space >= static_cast<int>(Space::Global);
    return global && (call.signal < 0 || access.ring < 0 || access.ring == call.signal);
  };
  return (call.signal < 0 && !call.betweenCores) ||
         std::any_of(other.accesses.begin(), other.accesses.end(), seenByOthers);
}

std::string TraceSimulator::conflict(const TraceNode &earlier, const TraceNode &later) const {
  if (earlier.instance == later.instance || (earlier.pipe == Pipe::S && later.pipe == Pipe::S))
    return {};
  if (fenceBetween(earlier, later))
    return "fence";
  if (chip == Chip::A5 && earlier.pipe == Pipe::V && later.pipe == Pipe::V) // in order
    return {};
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
  if (chip == Chip::A3 && earlier.pipe == Pipe::V && later.pipe == Pipe::V && sameIteration(earlier, later))
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
  if (addsInOrder(earlier, later, pairs))
    return {};
  const auto &[a, b] = pairs.front();
  return a->writes ? (b->reads ? "RAW" : "WAW") : b->writes ? "WAR" : "RAR";
}

std::optional<LostOrder> TraceSimulator::lostIn(const TraceSimulator &output) const {
  std::optional<LostOrder> lost = lostReading(output, Reading::OrderNothing);
  if (!lost && !(open.empty() && output.open.empty()))
    lost = lostReading(output, Reading::OrderAll);
  return lost;
}

std::optional<LostOrder> TraceSimulator::lostReading(const TraceSimulator &output, Reading reading) const {
  std::optional<LostOrder> lost = lostWork(output, reading);
  if (!lost)
    lost = lostReuse(output, reading);
  return lost ? lost : lostAtEnd(output, reading);
}

std::optional<LostOrder> TraceSimulator::lostWork(const TraceSimulator &output, Reading reading) const {
  const std::vector<Clock> &clocks = in(reading).clocks, &after = output.in(reading).clocks;
  if (work.size() != output.work.size())
    return LostOrder{0, 0, 0, 0, "other work"};
  for (std::size_t i = 0; i < work.size(); ++i) {
    const TraceNode &later = nodes[work[i]], &same = output.nodes[output.work[i]];
    if (later.line != same.line || later.pipe != same.pipe || later.instance != same.instance)
      return LostOrder{later.line, same.line, later.instance, same.instance, "other work"};
    for (std::size_t pipe = 0; pipe < kPipeCount; ++pipe)
      for (std::uint32_t number = output.workAmong(pipe, after[output.work[i]][pipe]);
           number < workAmong(pipe, clocks[work[i]][pipe]); ++number) {
        const TraceNode &earlier = nodes[workOfPipe[pipe][number]];
        std::string kind = conflict(earlier, later);
        if (!kind.empty())
          return LostOrder{earlier.line, later.line, earlier.instance, later.instance, kind};
      }
  }
  return std::nullopt;
}

/// A set of the output that may come before a wait for an earlier setting of its flag: allowed only if
/// the two may in the input too, and stand where they stood (nearer, the race is another one).
std::optional<LostOrder> TraceSimulator::lostReuse(const TraceSimulator &output, Reading reading) const {
  auto mayComeFirst = [reading](const TraceSimulator &trace, std::uint32_t set, std::uint32_t wait) {
    return trace.in(reading).clocks[set][index(trace.nodes[wait].pipe)] < trace.nodes[wait].number;
  };
  auto keyOf = [](const TraceNode &node) {
    return std::tuple(node.line, node.occurrence, node.inside ? node.flag : TraceFlag{}, node.role);
  };
  std::map<decltype(keyOf(TraceNode{})), std::uint32_t> own; // syncs by line and occurrence
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].role != TraceNode::Role::Work)
      own[keyOf(nodes[i])] = i;
  std::map<TraceFlag, std::vector<std::uint32_t>> waits;
  for (std::uint32_t i = 0; i < output.nodes.size(); ++i) {
    const TraceNode &set = output.nodes[i];
    if (set.role == TraceNode::Role::Wait)
      waits[set.flag].push_back(i);
    if (set.role != TraceNode::Role::Set)
      continue;
    for (std::uint32_t w : waits[set.flag]) {
      const TraceNode &wait = output.nodes[w];
      // What one call does to the flags of another is the library's affair.
      if ((set.inside && wait.inside) || !mayComeFirst(output, i, w))
        continue;
      auto ownSet = own.find(keyOf(set)), ownWait = own.find(keyOf(wait));
      bool before = ownSet != own.end() && ownWait != own.end() && ownWait->second < ownSet->second &&
                    mayComeFirst(*this, ownSet->second, ownWait->second);
      if (!before || set.moved || wait.moved)
        return LostOrder{wait.line, set.line, wait.occurrence, set.occurrence, "reuse"};
    }
  }
  return std::nullopt;
}

/// What is known to be complete when the kernel is left in front of its end fence: to the scalar unit, whose own work
/// is in program order, and to any pipe about the work of another, behind which the next kernel's work is queued.
std::optional<LostOrder> TraceSimulator::lostAtEnd(const TraceSimulator &output, Reading reading) const {
  const Knowledge &own = in(reading), &after = output.in(reading);
  for (std::size_t pipe = 0; leftEarly && pipe < kPipeCount; ++pipe) {
    std::uint32_t scalar = output.workAmong(pipe, after.scalarKnows[pipe]);
    std::uint32_t others = output.workAmong(pipe, after.othersKnow[pipe]);
    bool lostToScalar = pipe != index(Pipe::S) && scalar < workAmong(pipe, own.scalarKnows[pipe]);
    bool lostToOthers = others < workAmong(pipe, own.othersKnow[pipe]);
    if (!lostToScalar && !lostToOthers)
      continue;
    const TraceNode &earlier = nodes[workOfPipe[pipe][lostToScalar ? scalar : others]];
    return LostOrder{earlier.line, 0, earlier.instance, 0, "end"};
  }
  return std::nullopt;
}

std::set<std::string> TraceSimulator::faults() const {
  std::set<std::string> found = bracketFaults();
  std::set<TraceFlag> full;
  auto name = [](const TraceFlag &flag) {
    return std::string(pipeName(std::get<0>(flag))) + ", " + std::string(pipeName(std::get<1>(flag))) + ", " +
           std::to_string(std::get<2>(flag));
  };
  for (const TraceNode &node : nodes) {
    std::string place = "line " + std::to_string(node.line) + ", time " + std::to_string(node.occurrence);
    if (node.inside) { // the library sees to its own flags
      if (full.count(node.flag))
        found.insert(place + " uses " + name(node.flag) + " inside, which is set");
      continue;
    }
    if (node.role == TraceNode::Role::Set && !full.insert(node.flag).second)
      found.insert(place + " sets " + name(node.flag) + ", which is set");
    if (node.role == TraceNode::Role::Wait && !full.erase(node.flag))
      found.insert(place + " waits for " + name(node.flag) + ", which is not set");
  }
  if (!truncated)
    for (const TraceFlag &flag : full)
      found.insert("the flag " + name(flag) + " is left set at the end");
  return found;
}

std::optional<std::string> TraceSimulator::faultIn(const TraceSimulator &output) const {
  std::set<std::string> before = faults();
  for (const std::string &fault : output.faults())
    if (!before.count(fault))
      return fault;
  return std::nullopt;
}

std::size_t TraceSimulator::hazards() const {
  std::size_t count = 0;
  for (std::uint32_t later : work)
    for (std::uint32_t earlier : work) {
      if (earlier >= later)
        break;
      if (known.clocks[later][index(nodes[earlier].pipe)] < nodes[earlier].number &&
          !conflict(nodes[earlier], nodes[later]).empty())
        ++count;
    }
  return count;
}

} // namespace ptosync::fuzz
