#include "optimize/pins.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ptosync {

Pins::Pins(const Program &program, const Pending &pending) : program(program), pending(pending) {
  choosePairs();
  findPlaces();
  countSetters();
  linkPipes();
}

void Pins::findPlaces() {
  for (BlockId block : program.graph->order())
    for (std::uint32_t i = 0; i < program.steps[block].size(); ++i)
      if (SiteId site = program.steps[block][i].site; site != kNone)
        places[site].push_back({block, i});
}

/// Of the flags that are set in the kernel's text or inside the library.
void Pins::countSetters() {
  auto count = [&](std::uint32_t flag) { ++setters[{program.flags[flag].source, program.flags[flag].destination}]; };
  for (const Node &node : program.nodes)
    std::for_each(node.inside.begin(), node.inside.end(), count);
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Set && !pending.layout().removed(event.site))
        std::for_each(event.lanes.begin(), event.lanes.end(), count);
  removalsSeen = pending.removedSoFar().size();
}

/// Takes out what edits have removed since the last call. Returns true if the last flag between two pipes was, or a
/// bracket.
bool Pins::forgetRemoved() const {
  bool last = false;
  const std::vector<SiteId> &removed = pending.removedSoFar();
  for (; removalsSeen < removed.size(); ++removalsSeen)
    for (EventKey key : pending.eventsOf(removed[removalsSeen]))
      if (const Event &event = program.steps[key.first][key.second]; event.isBuffer())
        last = true;
      else if (event.kind == Event::Kind::Set)
        for (std::uint32_t lane : event.lanes)
          last |= --setters.at({program.flags[lane].source, program.flags[lane].destination}) == 0;
  return last;
}

/// A bracket knows what any other of its id has released, of those that are left.
void Pins::linkBrackets() const {
  auto forEachLeft = [&](Event::Kind kind, auto visit) {
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events)
        if (event.kind == kind && !pending.layout().removed(event.site))
          visit(event);
  };
  std::set<std::uint32_t> released;
  forEachLeft(Event::Kind::Release,
              [&](const Event &event) { released.insert(event.buffers.begin(), event.buffers.end()); });
  forEachLeft(Event::Kind::Get, [&](const Event &event) {
    for (std::uint32_t buffer : event.buffers) {
      PipeSet &told = links[index(program.buffers[buffer].pipe)];
      if (released.count(buffer) && event.source == Pipe::S)
        told = PipeSet::all();
      else if (released.count(buffer))
        told.insert(event.source);
    }
  });
}

/// By the flags that are still set somewhere.
void Pins::linkPipes() const {
  links = {};
  for (Pipe pipe : kPipes)
    links[index(pipe)].insert(pipe);
  for (const auto &[pipes, count] : setters) {
    const auto &[source, destination] = pipes;
    if (count == 0)
      continue;
    links[index(source)].insert(destination);
    if (destination == Pipe::S)
      links[index(source)] = PipeSet::all();
  }
  linkBrackets();
  for (Pipe middle : kPipes)
    for (Pipe from : kPipes)
      if (leads(from, middle))
        links[index(from)] = links[index(from)] | links[index(middle)];
}

const Reachability &Pins::reachOf(const ConflictPair &pair) const {
  // A pair of one iteration stays in that iteration of the loops around both.
  LoopId loop = kNone;
  if (pair.later != kNone && program.distanceOf(pair.bit).sameIteration())
    loop = program.graph->commonLoop(program.nodes[program.nodeOfBit[pair.bit]].loop, program.nodes[pair.later].loop);
  std::shared_ptr<const Reachability> &reach = within[loop];
  if (!reach)
    reach = std::make_shared<Reachability>(*program.graph, loop);
  return *reach;
}

bool Pins::before(const Reachability &reach, Place from, Place to) {
  return (from.block == to.block && from.event < to.event) || reach.reaches(from.block, to.block);
}

void Pins::choosePairs() {
  std::set<std::uint32_t> atEnd; // instances
  for (const OpenObligation &open : pending.open()) {
    if (open.kind() == ObligationKind::End)
      ends.insert(program.blockOf[open.end]);
    if (open.kind() != ObligationKind::End || atEnd.insert(open.pair.bit).second)
      pairs.push_back(open.pair);
  }
  pairs.insert(pairs.end(), pending.mayOpen().begin(), pending.mayOpen().end());
  // Conflicts make the plainest witnesses.
  std::stable_partition(pairs.begin(), pairs.end(),
                        [](const ConflictPair &pair) { return obligationKind(pair) == ObligationKind::Conflict; });
  std::map<std::tuple<NodeId, NodeId, HazardKind, const Reachability *>, std::size_t> known;
  for (const ConflictPair &pair : pairs) {
    auto [kind, inserted] =
        known.try_emplace({program.nodeOfBit[pair.bit], pair.later, pair.kind, &reachOf(pair)}, kinds.size());
    if (inserted)
      kinds.push_back(pair);
    kindOf.push_back(kind->second);
  }
}

/// The pairs for which `test(pair)` holds, which does not ask for more than their kinds.
template <typename Test> std::vector<ConflictPair> Pins::pairsWhere(Test test) const {
  work += pairs.size() / 8; // a pair is looked up, and seldom more
  std::vector<std::optional<bool>> holds(kinds.size());
  std::vector<ConflictPair> found;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::optional<bool> &known = holds[kindOf[i]];
    if (!known)
      known = test(kinds[kindOf[i]]);
    if (*known && !pending.isMoot(pairs[i]))
      found.push_back(pairs[i]);
  }
  return found;
}

bool Pins::concerns(const ConflictPair &pair, Pipe barrier, Place place) const {
  const Node &a = program.nodes[program.nodeOfBit[pair.bit]];
  const Reachability &reach = reachOf(pair);
  if (!before(reach, {a.block, a.event}, place))
    return false;
  // What may still run at the kernel's end on one path must not come to do so on another.
  if (pair.later == kNone)
    return barrier == Pipe::All && std::any_of(ends.begin(), ends.end(), [&](BlockId end) {
             return place.block == end || reach.reaches(place.block, end);
           });
  // A barrier of one pipe makes later work of that pipe wait for earlier work of that pipe, and tells
  // no other pipe anything that a flag behind it would not tell anyway.
  const Node &b = program.nodes[pair.later];
  bool pipes = barrier == Pipe::All || (pair.kind != HazardKind::FlagReuse && a.pipe == barrier && b.pipe == barrier);
  return pipes && before(reach, place, {b.block, b.event});
}

std::vector<ConflictPair> Pins::ofBarrier(SiteId site) const {
  auto list = places.find(site);
  if (list == places.end())
    return {};
  return pairsWhere([&](const ConflictPair &pair) {
    return std::any_of(list->second.begin(), list->second.end(), [&](Place place) {
      return concerns(pair, program.steps[place.block][place.event].source, place);
    });
  });
}

/// True if the pair asks when a wait of the web is over, or what must be over for a set of it: where they stand decides
/// about that, whatever the web tells others.
bool Pins::isAbout(const ConflictPair &pair, const Web &web) const {
  auto names = [&](NodeId node, const std::vector<SiteId> &sites) {
    SiteId site = node == kNone ? kNone : pending.siteOf(node);
    return site != kNone && std::binary_search(sites.begin(), sites.end(), site);
  };
  return names(program.nodeOfBit[pair.bit], web.waits) || names(pair.later, web.sets);
}

std::vector<Pins::Place> Pins::placesOf(const std::vector<SiteId> &sites) const {
  std::vector<Place> found;
  for (SiteId site : sites)
    if (auto list = places.find(site); list != places.end())
      found.insert(found.end(), list->second.begin(), list->second.end());
  return found;
}

bool Pins::concernsWeb(const ConflictPair &pair, const Web &web, const std::vector<Place> &sets,
                       const std::vector<Place> &waits) const {
  if (isAbout(pair, web))
    return true;
  const Node &a = program.nodes[program.nodeOfBit[pair.bit]];
  if (pair.later == kNone)
    return leads(a.pipe, web.source);
  const Node &b = program.nodes[pair.later];
  bool holdsAll = web.destination == Pipe::S; // a wait of the scalar unit
  if (!leads(a.pipe, web.source) || !(holdsAll || leads(web.destination, b.pipe)))
    return false;
  const Reachability &reach = reachOf(pair);
  if (web.bracket) // either end of it may have a part in the order
    return llvm::any_of(llvm::concat<const Place>(sets, waits), [&](Place at) {
      return before(reach, {a.block, a.event}, at) && before(reach, at, {b.block, b.event});
    });
  return std::any_of(sets.begin(), sets.end(), [&](Place set) { return before(reach, {a.block, a.event}, set); }) &&
         std::any_of(waits.begin(), waits.end(), [&](Place wait) { return before(reach, wait, {b.block, b.event}); });
}

std::vector<ConflictPair> Pins::ofWeb(const Web &web) const {
  if (forgetRemoved())
    linkPipes();
  const std::vector<Place> sets = placesOf(web.sets), waits = placesOf(web.waits);
  return pairsWhere([&](const ConflictPair &pair) { return concernsWeb(pair, web, sets, waits); });
}

namespace {

/// By statement of a kernel without some syncs: the one of the whole kernel.
std::map<const Statement *, const Statement *> originsOf(const Kernel &without, const Kernel &whole,
                                                         const std::set<SiteId> &absent) {
  std::map<const Statement *, const Statement *> origins;
  for (BlockId block = 0; block < whole.blocks.size(); ++block) {
    auto left = without.blocks[block].statements.begin();
    for (const Statement &statement : whole.blocks[block].statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action); !sync || !absent.count(sync->site))
        origins[&*left++] = &statement;
  }
  return origins;
}

} // namespace

llvm::Expected<Reference> referenceOf(const Kernel &kernel, std::set<SiteId> absent, const Machine &machine,
                                      const OrderingOptions &options) {
  const Kernel without = withoutSites(kernel, absent);
  llvm::Expected<Analysis> analysis = Analysis::of(without, machine, options);
  if (!analysis)
    return analysis.takeError();
  const Program &program = analysis->program();
  const Pending &pending = analysis->pending();
  const std::map<const Statement *, const Statement *> origins = originsOf(without, kernel, absent);
  Reference reference{std::move(absent), {}, false};
  reference.seenButReuses = pending.tokenFaults().empty() && !pending.tooManyOpen();
  for (const OpenObligation &open : pending.open()) {
    const bool conflict = open.kind() == ObligationKind::Conflict, end = open.kind() == ObligationKind::End;
    // A conflict that not even a contested rule orders is let through by nobody.
    if (open.kind() != ObligationKind::FlagReuse && (!conflict || open.silenced == Excuse::Silenced))
      reference.seenButReuses = false;
    const bool needed =
        options.fromNothing && open.kind() == ObligationKind::Fence &&
        Program::isNeeded(program.nodes[program.nodeOfBit[open.pair.bit]], program.nodes[open.pair.later]);
    if (!conflict && !end && !needed)
      reference.open.emplace(origins.at(program.nodes[program.nodeOfBit[open.pair.bit]].statement),
                             origins.at(program.nodes[open.pair.later].statement), open.pair.kind);
  }
  return reference;
}

std::vector<ConflictPair> openPairs(const Reference &reference, const Program &program) {
  // What a call does to flags is one thing, what else it does another.
  auto takesPart = [&](NodeId node, HazardKind kind) {
    return program.nodes[node].isFlag() == (kind == HazardKind::FlagReuse);
  };
  std::map<const Statement *, std::vector<NodeId>> nodes;
  for (NodeId node = 0; node < program.nodes.size(); ++node)
    nodes[program.nodes[node].statement].push_back(node);
  std::map<const Statement *, std::vector<std::uint32_t>> bits;
  for (std::uint32_t bit = 0; bit < program.nodeOfBit.size(); ++bit)
    bits[program.nodes[program.nodeOfBit[bit]].statement].push_back(bit);
  std::vector<ConflictPair> pairs;
  for (const auto &[earlier, later, kind] : reference.open)
    for (std::uint32_t bit : bits[earlier])
      for (NodeId node : nodes[later])
        if (takesPart(program.nodeOfBit[bit], kind) && takesPart(node, kind))
          pairs.push_back({bit, node, kind, kNone, kNone});
  // The set is in the order of addresses.
  std::sort(pairs.begin(), pairs.end(), [](const ConflictPair &a, const ConflictPair &b) {
    return std::make_tuple(a.bit, a.later, a.kind) < std::make_tuple(b.bit, b.later, b.kind);
  });
  return pairs;
}

} // namespace ptosync
