#include "synthesis/merged_flags.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

using Pipes = std::pair<Pipe, Pipe>;

Pipes pipesOf(const Proposal &proposal) { return {proposal.source, proposal.destination}; }

/// Of a flag of one list: where it is set and where it is waited for, by its numbers among the flag's syncs.
struct Halves {
  std::size_t set, wait;
};
constexpr Halves kForward = {0, 1};
constexpr std::size_t kRingPrime = 0,
                      kRingDrain = 3; // of a flag that goes round a loop, primed and drained in another list
constexpr Halves kBackward = {2, 1};

using Flags = std::vector<const Proposal *>;

/// From wait to wait those that none of the others covers: the sets come later and later too.
Flags staircase(Flags flags, const Halves &halves) {
  auto setOf = [&](const Proposal *flag) { return flag->syncs[halves.set].place; };
  auto waitOf = [&](const Proposal *flag) { return flag->syncs[halves.wait].place; };
  std::stable_sort(flags.begin(), flags.end(), [&](const Proposal *a, const Proposal *b) {
    return std::make_tuple(waitOf(a), setOf(b)) < std::make_tuple(waitOf(b), setOf(a));
  });
  Flags kept;
  for (const Proposal *flag : flags)
    if (kept.empty() || setOf(flag) > setOf(kept.back()))
      kept.push_back(flag);
  return kept;
}

/// Set where the last one is, waited for where the first one is.
Proposal mergedSteps(const Flags &steps, std::size_t first, std::size_t last, const Halves &halves) {
  Proposal merged = *steps[last];
  merged.syncs[halves.wait] = steps[first]->syncs[halves.wait];
  merged.syncs[halves.wait].reason = 1;
  merged.others = {steps[first]->reason};
  merged.merges = static_cast<std::uint32_t>(last - first + 1);
  return merged;
}

/// Of each flag with the next one, and with as many as have their sets in front of its wait, or all that go round.
void mergeSteps(const Flags &steps, const Halves &halves, std::vector<Proposal> &merged) {
  const bool round = halves.set > halves.wait;
  for (std::size_t first = 0; first < steps.size(); ++first) {
    const std::uint32_t wait = steps[first]->syncs[halves.wait].place.child;
    std::size_t last = first;
    while (last + 1 < steps.size() && (round || steps[last + 1]->syncs[halves.set].place.child < wait))
      ++last;
    if (last == first)
      continue;
    merged.push_back(mergedSteps(steps, first, first + 1, halves));
    if (last > first + 1 && (!round || first == 0))
      merged.push_back(mergedSteps(steps, first, last, halves));
  }
}

bool isInside(const StatementTree &tree, ListId list, ListId outer) {
  while (list != kNone && list != outer)
    list = tree.lists()[list].parent;
  return list == outer;
}

ListId bodyOf(const Proposal &ring) { return ring.syncs[kBackward.wait].place.list; }

using RingsByBody = std::map<ListId, Flags>;

/// Without those of loops that have such a loop inside them.
RingsByBody innermost(const RingsByBody &all, const StatementTree &tree) {
  RingsByBody kept;
  for (const auto &[body, rings] : all)
    if (std::none_of(all.begin(), all.end(), [&, body = body](const auto &other) {
          return other.first != body && isInside(tree, other.first, body);
        }))
      kept.emplace(body, rings);
  return kept;
}

/// The child of `list` that holds another list; kNone if that is not inside it.
std::uint32_t childHolding(const StatementTree &tree, ListId list, ListId inner) {
  while (inner != kNone && tree.lists()[inner].parent != list)
    inner = tree.lists()[inner].parent;
  return inner == kNone ? kNone : tree.lists()[inner].parentChild;
}

/// Rings inside `list` as one that is primed in front of the first of its children that hold them, and drained behind
/// the last.
Proposal joinedRing(const Flags &rings, ListId list, const StatementTree &tree) {
  auto before = [&](const Proposal *a, const Proposal *b) {
    return childHolding(tree, list, bodyOf(*a)) < childHolding(tree, list, bodyOf(*b));
  };
  const auto [first, last] = std::minmax_element(rings.begin(), rings.end(), before);
  auto at = [&](const Proposal *ring, std::size_t part) {
    NewSync sync = ring->syncs[part];
    sync.place.list = list;
    sync.place.child = childHolding(tree, list, bodyOf(*ring));
    return sync;
  };
  Proposal joined = **first;
  joined.syncs = {at(*first, kRingPrime)};
  for (const Proposal *ring : rings) {
    joined.others.push_back(ring->reason);
    for (std::size_t part : {kBackward.wait, kBackward.set}) {
      joined.syncs.push_back(ring->syncs[part]);
      joined.syncs.back().reason = static_cast<std::uint32_t>(joined.others.size());
    }
  }
  joined.others.push_back((*last)->reason);
  joined.syncs.push_back(at(*last, kRingDrain));
  joined.syncs.back().reason = static_cast<std::uint32_t>(joined.others.size());
  joined.merges = static_cast<std::uint32_t>(rings.size());
  return joined;
}

/// By list that holds several of the loops: those, unless one list further in holds the same; and all of them where
/// their rings are primed now.
std::map<ListId, std::vector<ListId>> heldTogether(const RingsByBody &byBody, const StatementTree &tree) {
  std::map<ListId, std::vector<ListId>> held;
  for (const auto &[body, rings] : byBody)
    for (ListId list = tree.lists()[body].parent; list != kNone; list = tree.lists()[list].parent)
      held[list].push_back(body);
  std::set<ListId> around;
  for (const auto &[body, rings] : byBody)
    around.insert(rings.front()->syncs[kRingPrime].place.list);
  std::map<ListId, std::vector<ListId>> kept;
  for (const auto &[list, bodies] : held) {
    bool further = std::any_of(held.begin(), held.end(), [&, &outer = list, &all = bodies](const auto &other) {
      return other.first != outer && other.second == all && isInside(tree, other.first, outer);
    });
    if (bodies.size() > 1 && (!further || around.count(list)))
      kept.emplace(list, bodies);
  }
  return kept;
}

void joinRings(const RingsByBody &byBody, const StatementTree &tree, std::vector<Proposal> &merged) {
  for (const auto &[list, bodies] : heldTogether(byBody, tree)) {
    std::size_t most = 0;
    for (ListId body : bodies)
      most = std::max(most, byBody.at(body).size());
    for (std::size_t i = 0; i < most; ++i) {
      Flags rings;
      for (ListId body : bodies)
        if (i < byBody.at(body).size())
          rings.push_back(byBody.at(body)[i]);
      if (rings.size() > 1)
        merged.push_back(joinedRing(rings, list, tree));
    }
  }
}

} // namespace

std::vector<Proposal> mergedFlags(const std::vector<Proposal> &proposals, const StatementTree &tree) {
  std::map<std::pair<ListId, Pipes>, Flags> forward;
  std::map<Pipes, RingsByBody> rings;
  for (const Proposal &proposal : proposals) {
    if (proposal.shape == FlagShape::Forward && proposal.syncs.size() == 2)
      forward[{proposal.syncs[kForward.set].place.list, pipesOf(proposal)}].push_back(&proposal);
    else if (proposal.shape == FlagShape::Backward)
      rings[pipesOf(proposal)][bodyOf(proposal)].push_back(&proposal);
  }
  std::vector<Proposal> merged;
  for (const auto &[place, flags] : forward)
    mergeSteps(staircase(flags, kForward), kForward, merged);
  for (const auto &[pipes, byBody] : rings) {
    for (const auto &[body, flags] : byBody)
      mergeSteps(staircase(flags, kBackward), kBackward, merged);
    joinRings(innermost(byBody, tree), tree, merged);
  }
  return merged;
}

} // namespace ptosync::synthesis
