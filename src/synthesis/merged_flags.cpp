#include "synthesis/merged_flags.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

using Pipes = std::pair<Pipe, Pipe>;

Pipes pipesOf(const Proposal &proposal) { return {proposal.source, proposal.destination}; }

/// A flag that is set behind one child of a list and waited for in front of another.
struct Stretch {
  std::uint32_t set = 0, wait = 0; // children
  const Proposal *proposal = nullptr;
};

/// From set to wait those that none of the others covers: both grow.
std::vector<Stretch> staircase(std::vector<Stretch> stretches) {
  std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch &a, const Stretch &b) {
    return std::make_tuple(a.wait, ~a.set) < std::make_tuple(b.wait, ~b.set);
  });
  std::vector<Stretch> kept;
  for (const Stretch &span : stretches)
    if (kept.empty() || span.set > kept.back().set)
      kept.push_back(span);
  return kept;
}

Proposal mergedStretch(const std::vector<Stretch> &steps, std::size_t first, std::size_t last) {
  Proposal merged = *steps[last].proposal;
  merged.syncs = {steps[last].proposal->syncs.front(), steps[first].proposal->syncs.back()};
  merged.syncs.back().reason = 1;
  merged.others = {steps[first].proposal->reason};
  merged.merges = static_cast<std::uint32_t>(last - first + 1);
  return merged;
}

/// Of each flag with the next one, and with as many as have their sets in front of its wait.
void mergeStretches(const std::vector<Stretch> &steps, std::vector<Proposal> &merged) {
  for (std::size_t first = 0; first < steps.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < steps.size() && steps[last + 1].set < steps[first].wait)
      ++last;
    if (last == first)
      continue;
    merged.push_back(mergedStretch(steps, first, first + 1));
    if (last > first + 1)
      merged.push_back(mergedStretch(steps, first, last));
  }
}

bool isInside(const StatementTree &tree, ListId list, ListId outer) {
  while (list != kNone && list != outer)
    list = tree.lists()[list].parent;
  return list == outer;
}

/// A ring goes round one list, and is primed and drained in another.
struct RingPlace {
  static constexpr std::size_t kPrime = 0, kWait = 1, kSet = 2, kDrain = 3; // among its syncs
  static ListId body(const Proposal &ring) { return ring.syncs[kWait].place.list; }
  static ListId around(const Proposal &ring) { return ring.syncs[kPrime].place.list; }
};

using RingsByBody = std::map<ListId, std::vector<const Proposal *>>;

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
Proposal joinedRing(const std::vector<const Proposal *> &rings, ListId list, const StatementTree &tree) {
  auto before = [&](const Proposal *a, const Proposal *b) {
    return childHolding(tree, list, RingPlace::body(*a)) < childHolding(tree, list, RingPlace::body(*b));
  };
  const auto [first, last] = std::minmax_element(rings.begin(), rings.end(), before);
  auto at = [&](const Proposal *ring, std::size_t part) {
    NewSync sync = ring->syncs[part];
    sync.place.list = list;
    sync.place.child = childHolding(tree, list, RingPlace::body(*ring));
    return sync;
  };
  Proposal joined = **first;
  joined.syncs = {at(*first, RingPlace::kPrime)};
  for (const Proposal *ring : rings) {
    joined.others.push_back(ring->reason);
    for (std::size_t part : {RingPlace::kWait, RingPlace::kSet}) {
      joined.syncs.push_back(ring->syncs[part]);
      joined.syncs.back().reason = static_cast<std::uint32_t>(joined.others.size());
    }
  }
  joined.others.push_back((*last)->reason);
  joined.syncs.push_back(at(*last, RingPlace::kDrain));
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
    around.insert(RingPlace::around(*rings.front()));
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
      std::vector<const Proposal *> rings;
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
  std::map<std::pair<ListId, Pipes>, std::vector<Stretch>> stretches;
  std::map<Pipes, RingsByBody> rings;
  for (const Proposal &proposal : proposals) {
    if (proposal.shape == FlagShape::Forward && proposal.syncs.size() == 2) {
      const TextPlace &set = proposal.syncs.front().place, &wait = proposal.syncs.back().place;
      stretches[{set.list, pipesOf(proposal)}].push_back({set.child, wait.child, &proposal});
    } else if (proposal.shape == FlagShape::Backward) {
      rings[pipesOf(proposal)][RingPlace::body(proposal)].push_back(&proposal);
    }
  }
  std::vector<Proposal> merged;
  for (const auto &[place, list] : stretches)
    mergeStretches(staircase(list), merged);
  for (const auto &[pipes, byBody] : rings)
    joinRings(innermost(byBody, tree), tree, merged);
  return merged;
}

} // namespace ptosync::synthesis
