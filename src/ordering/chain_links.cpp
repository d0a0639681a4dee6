#include "ordering/chain_links.h"

#include "ordering/follow_instance.h"

#include <algorithm>
#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostStepsSearched = 64; // for each copy of the blocks

class LinkFinder {
public:
  LinkFinder(const Program &program, const Pending &pending)
      : program(program), pending(pending), model(pending.hazards()) {
    for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
      openPairs.insert({open.pair.bit, open.pair.later});
    std::size_t blocks = program.kernel->blocks.size();
    mostSteps = kMostStepsSearched * std::max<std::size_t>(1, blocks ? program.steps.size() / blocks : 1);
  }

  std::vector<ChainLink> run() {
    for (NodeId node = 0; node < program.nodes.size(); ++node)
      if (std::optional<EventKey> place = firstPlaceOf(program, node); place && !program.nodes[node].accesses.empty())
        follow(node, *place);
    return std::move(links);
  }

private:
  /// One instance on its way: its bit at the present distance, the accesses that nothing has overwritten, and by pipe
  /// the syncs that told it of the completion.
  struct Way {
    std::uint32_t bit;
    std::vector<bool> alive;
    std::array<std::vector<EventKey>, kPipeCount> told;
  };

  void follow(NodeId id, EventKey place) {
    const Node &node = program.nodes[id];
    std::set<std::pair<NodeId, bool>> linked; // by later node and whether an earlier iteration is meant
    Way start{node.firstBit, std::vector<bool>(node.accesses.size(), true), {}};
    auto run = [&](StepId step, std::uint32_t first, Way &way) {
      for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
        const Event &event = program.steps[step][i];
        if (event.kind == Event::Kind::Access)
          meet(id, way, event.node, linked);
        else
          note(id, way, {step, i}, event);
      }
      bool alive = std::find(way.alive.begin(), way.alive.end(), true) != way.alive.end();
      return alive ? Onward::Follow : Onward::Stop;
    };
    followInstance(program, place, std::move(start), mostSteps, run);
  }

  void meet(NodeId id, Way &way, NodeId later, std::set<std::pair<NodeId, bool>> &linked) {
    ChainLink link;
    for (const ConflictPair &pair : model.conflicts(way.bit, later))
      if (way.alive[pair.earlierAccess])
        link.pairs.push_back(pair);
    if (link.pairs.empty())
      return;
    for (const ConflictPair &pair : link.pairs)
      if (overwrites(pair))
        way.alive[pair.earlierAccess] = false;
    if (!linked.insert({later, program.distanceOf(way.bit).sameIteration()}).second)
      return;
    std::stable_sort(link.pairs.begin(), link.pairs.end(),
                     [](const ConflictPair &a, const ConflictPair &b) { return a.kind < b.kind; });
    link.earlier = id;
    link.later = later;
    link.syncs = way.told[index(program.nodes[later].pipe)];
    link.excuse = model.excuse(way.bit, later, &link.rule);
    link.open = openPairs.count({way.bit, later}) != 0;
    links.push_back(std::move(link));
  }

  /// True only if the later access certainly writes every byte of the earlier one.
  bool overwrites(const ConflictPair &pair) const {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    const Access &a = earlier.accesses[pair.earlierAccess], &b = later.accesses[pair.laterAccess];
    if (!b.writes || b.scratch || !a.bytes || !b.bytes)
      return false;
    if (model.comparison().sameAccess(a, earlier.loop, b, later.loop, program.distanceOf(pair.bit)))
      return true;
    if (!a.base.isConstant() || !b.base.isConstant() || b.bytes->rows != 1)
      return false;
    std::int64_t distance = wrappedDifference(a.base.constant, b.base.constant); // from the later one's first byte
    return distance >= 0 && distance <= b.bytes->extent() - a.bytes->extent();
  }

  /// Whom the sync tells that the instance is complete.
  void note(NodeId id, Way &way, EventKey key, const Event &event) {
    for (Pipe pipe : kPipes) {
      bool tells = (event.kind == Event::Kind::Barrier && (event.source == pipe || event.source == Pipe::All)) ||
                   (event.kind == Event::Kind::Wait && event.destination == pipe);
      if (!tells || !way.told[index(pipe)].empty())
        continue;
      const BitSet *row = pending.rowBefore(key.first, key.second, index(pipe));
      if (!row || !row->contains(way.bit) || pending.rowAfter(key.first, key.second, pipe).contains(way.bit))
        continue;
      // What a flag says of other pipes' work its own source must have been told first.
      std::vector<EventKey> chain;
      if (event.kind == Event::Kind::Wait && event.source != program.nodes[id].pipe)
        chain = way.told[index(event.source)];
      chain.push_back(key);
      way.told[index(pipe)] = std::move(chain);
    }
  }

  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::set<std::pair<std::uint32_t, NodeId>> openPairs;
  std::vector<ChainLink> links;
  std::size_t mostSteps = kMostStepsSearched;
};

} // namespace

std::vector<ChainLink> findChainLinks(const Program &program, const Pending &pending) {
  return LinkFinder(program, pending).run();
}

} // namespace ptosync
