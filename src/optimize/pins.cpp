#include "optimize/pins.h"

#include <algorithm>
#include <set>

namespace ptosync {
namespace {

struct Place {
  BlockId block;
  std::uint32_t event;
};

/// Reachability within one iteration of `around` and of every loop outside it: their back edges
/// are not taken, those of loops further in are.
class ReachWithin {
public:
  ReachWithin(const FlowGraph &graph, LoopId around) {
    std::uint32_t count = 0;
    for (BlockId block : graph.order())
      count = std::max(count, block + 1);
    rows.assign(count, BitSet(count));
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = graph.order().rbegin(); block != graph.order().rend(); ++block)
        for (BlockId next : graph.successors(*block)) {
          LoopId round = graph.backEdge(*block, next);
          if (round != kNone && around != kNone && graph.encloses(round, around))
            continue;
          BitSet reached = rows[next];
          reached.insert(next);
          changed |= rows[*block].unite(reached);
        }
    }
  }
  bool reaches(BlockId from, BlockId to) const { return rows[from].contains(to); }

private:
  std::vector<BitSet> rows;
};

} // namespace

std::map<SiteId, ConflictPair> pinnedSites(const Program &program, const Pending &pending) {
  const std::vector<OpenConflict> &open = pending.open();
  std::map<SiteId, ConflictPair> pinned;
  std::map<LoopId, ReachWithin> within; // by the loop whose iteration is not left
  auto reachWithin = [&](LoopId loop) -> const ReachWithin & {
    return within.try_emplace(loop, *program.graph, loop).first->second;
  };
  struct SitePlace {
    SiteId site;
    Pipe pipe;
    Place place;
  };
  std::vector<SitePlace> sites;
  for (BlockId block : program.graph->order())
    for (std::uint32_t i = 0; i < program.blocks[block].size(); ++i) {
      const Event &event = program.blocks[block][i];
      if (event.kind == Event::Kind::Barrier && event.site != kNone)
        sites.push_back({event.site, event.source, {block, i}});
    }
  if (pending.tooManyOpen()) {
    for (const SitePlace &site : sites)
      pinned.emplace(site.site, open.front().pair);
    return pinned;
  }
  auto pin = [&](const ConflictPair &pair) {
    const Node &a = program.nodes[program.nodeOfBit[pair.bit]], &b = program.nodes[pair.later];
    // A pair of one iteration stays in that iteration of the loops around both.
    bool sameIteration = program.distanceOf(pair.bit).sameIteration();
    const ReachWithin &reachable = reachWithin(sameIteration ? program.graph->commonLoop(a.loop, b.loop) : kNone);
    auto before = [&](Place from, Place to) {
      return (from.block == to.block && from.event < to.event) || reachable.reaches(from.block, to.block);
    };
    for (const SitePlace &site : sites) {
      if (pinned.count(site.site))
        continue;
      // A barrier of one pipe makes later work of that pipe wait for earlier work of that pipe, and
      // tells no other pipe anything that a flag behind it would not tell anyway.
      bool pipes = site.pipe == Pipe::All ||
                   (pair.kind != HazardKind::FlagReuse && a.pipe == site.pipe && b.pipe == site.pipe);
      if (pipes && before({a.block, a.event}, site.place) && before(site.place, {b.block, b.event}))
        pinned.emplace(site.site, pair);
    }
  };
  for (const OpenConflict &conflict : open)
    pin(conflict.pair);
  for (const ConflictPair &reuse : pending.openReuses())
    pin(reuse);
  for (const ConflictPair &order : pending.openFenceOrders())
    pin(order);
  // What may still run at the kernel's end on one path must not come to do so on another.
  const ReachWithin &anywhere = reachWithin(kNone);
  for (const auto &[step, bit] : pending.openAtEnd())
    for (const SitePlace &site : sites) {
      BlockId end = program.blockOf[step];
      if (site.pipe == Pipe::All && (site.place.block == end || anywhere.reaches(site.place.block, end)))
        pinned.emplace(site.site, ConflictPair{bit, kNone, HazardKind::Fence, kNone, kNone});
    }
  return pinned;
}

} // namespace ptosync
