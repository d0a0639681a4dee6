#include "optimize/pins.h"

#include <array>
#include <set>

namespace ptosync {
namespace {

struct Place {
  BlockId block;
  std::uint32_t event;
};

/// Pipe to pipe: can completion on one be carried to the other by flags, any number of them?
std::array<PipeSet, kPipeCount> pipeReach(const Program &program) {
  std::array<PipeSet, kPipeCount> reach;
  for (Pipe pipe : kPipes)
    reach[index(pipe)].insert(pipe);
  for (const Flag &flag : program.flags)
    reach[index(flag.source)].insert(flag.destination);
  for (Pipe middle : kPipes)
    for (Pipe from : kPipes)
      if (reach[index(from)].contains(middle))
        reach[index(from)] = reach[index(from)] | reach[index(middle)];
  return reach;
}

/// Reachability over forward edges only: one iteration of every loop.
class ForwardReach {
public:
  explicit ForwardReach(const FlowGraph &graph) : rows(graph.order().empty() ? 0 : blockCount(graph)) {
    const std::vector<BlockId> &order = graph.order();
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      rows[*block] = BitSet(static_cast<std::uint32_t>(rows.size()));
      for (BlockId next : graph.successors(*block))
        if (graph.backEdge(*block, next) == kNone) {
          rows[*block].unite(rows[next]);
          rows[*block].insert(next);
        }
    }
  }
  bool reaches(BlockId from, BlockId to) const { return rows[from].contains(to); }

private:
  static std::size_t blockCount(const FlowGraph &graph) {
    BlockId most = 0;
    for (BlockId block : graph.order())
      most = std::max(most, block);
    return most + 1;
  }
  std::vector<BitSet> rows;
};

} // namespace

std::map<SiteId, ConflictPair> pinnedSites(const Program &program, const Pending &pending) {
  const std::vector<OpenConflict> &open = pending.open();
  std::map<SiteId, ConflictPair> pinned;
  if (open.empty() && pending.openReuses().empty())
    return pinned;
  std::array<PipeSet, kPipeCount> reach = pipeReach(program);
  ForwardReach forward(*program.graph);
  auto before = [&](Place a, Place b, bool sameIteration) {
    if (a.block == b.block && a.event < b.event)
      return true;
    return sameIteration ? forward.reaches(a.block, b.block) : program.graph->reaches(a.block, b.block);
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
    bool sameIteration = program.distanceOf(pair.bit).sameIteration();
    for (const SitePlace &site : sites) {
      if (pinned.count(site.site))
        continue;
      // A wait holds its own pipe back by itself: a barrier of one pipe adds nothing to what
      // others learn of it.
      bool pipes = site.pipe == Pipe::All ||
                   (pair.kind != HazardKind::FlagReuse && reach[index(a.pipe)].contains(site.pipe) &&
                    reach[index(site.pipe)].contains(b.pipe));
      if (pipes && before({a.block, a.event}, site.place, sameIteration) &&
          before(site.place, {b.block, b.event}, sameIteration))
        pinned.emplace(site.site, pair);
    }
  };
  for (const OpenConflict &conflict : open)
    pin(conflict.pair);
  for (const ConflictPair &reuse : pending.openReuses())
    pin(reuse);
  return pinned;
}

} // namespace ptosync
