#include "optimize/pins.h"

#include <algorithm>
#include <set>

namespace ptosync {

Pins::Pins(const Program &program, const Pending &pending) : program(program), pending(pending) {
  choosePairs();
  findPlaces();
}

void Pins::findPlaces() {
  for (BlockId block : program.graph->order())
    for (std::uint32_t i = 0; i < program.steps[block].size(); ++i)
      if (SiteId site = program.steps[block][i].site; site != kNone)
        places[site].push_back({block, i});
}

/// By the flags that are still set somewhere, in the kernel's text or inside the library.
void Pins::linkPipes() const {
  std::set<std::uint32_t> used;
  for (const Node &node : program.nodes)
    used.insert(node.inside.begin(), node.inside.end());
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Set && !pending.layout().removed(event.site))
        used.insert(event.lanes.begin(), event.lanes.end());
  links = {};
  for (Pipe pipe : kPipes)
    links[index(pipe)].insert(pipe);
  for (std::uint32_t number : used) {
    const Flag &flag = program.flags[number];
    links[index(flag.source)].insert(flag.destination);
    if (flag.destination == Pipe::S)
      links[index(flag.source)] = PipeSet::all();
  }
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
  for (const OpenConflict &open : pending.open())
    pairs.push_back(open.pair);
  pairs.insert(pairs.end(), pending.openReuses().begin(), pending.openReuses().end());
  pairs.insert(pairs.end(), pending.openFenceOrders().begin(), pending.openFenceOrders().end());
  pairs.insert(pairs.end(), pending.mayOpen().begin(), pending.mayOpen().end());
  for (const auto &[step, bit] : pending.openAtEnd()) {
    pairs.push_back({bit, kNone, HazardKind::Fence, kNone, kNone});
    ends.push_back(program.blockOf[step]);
  }
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
  std::vector<ConflictPair> found;
  auto list = places.find(site);
  if (list == places.end())
    return found;
  for (const ConflictPair &pair : pairs)
    if (!pending.isMoot(pair) && std::any_of(list->second.begin(), list->second.end(), [&](Place place) {
          return concerns(pair, program.steps[place.block][place.event].source, place);
        }))
      found.push_back(pair);
  return found;
}

bool Pins::concernsWeb(const ConflictPair &pair, const Web &web) const {
  const Node &a = program.nodes[program.nodeOfBit[pair.bit]];
  if (pair.later == kNone)
    return leads(a.pipe, web.source);
  const Node &b = program.nodes[pair.later];
  bool holdsAll = web.destination == Pipe::S; // a wait of the scalar unit
  if (!leads(a.pipe, web.source) || !(holdsAll || leads(web.destination, b.pipe)))
    return false;
  const Reachability &reach = reachOf(pair);
  auto any = [&](const std::vector<SiteId> &sites, auto test) {
    return std::any_of(sites.begin(), sites.end(), [&](SiteId site) {
      auto list = places.find(site);
      return list != places.end() && std::any_of(list->second.begin(), list->second.end(), test);
    });
  };
  return any(web.sets, [&](Place set) { return before(reach, {a.block, a.event}, set); }) &&
         any(web.waits, [&](Place wait) { return before(reach, wait, {b.block, b.event}); });
}

std::vector<ConflictPair> Pins::ofWeb(const Web &web) const {
  linkPipes();
  std::vector<ConflictPair> found;
  for (const ConflictPair &pair : pairs)
    if (!pending.isMoot(pair) && concernsWeb(pair, web))
      found.push_back(pair);
  return found;
}

} // namespace ptosync
