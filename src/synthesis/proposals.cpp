#include "synthesis/proposals.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// Ranks of what stands at one place: first what waits, then what may only be set behind that.
enum Rank : std::uint8_t { kSet = 0, kWait = 1, kLateSet = 2, kAnswer = 3, kLast = 4, kDrain = 5 };

/// Flags of one list that differ in how much they cover: a later set and an earlier wait cover more.
struct Span {
  std::uint32_t set = 0, wait = 0; // positions in the list: child, or the number behind the last one
  Proposal proposal;
};

/// Span kinds of one list and pair of pipes, each judged apart.
enum class Shape : std::uint8_t {
  Forward,  // set, then wait
  FromArm,  // in the producer's arm: wait at its end
  ToArm,    // in the consumer's arm: set at its begin
  Backward, // wait, and set behind the producer for the next visit
  Lagging,  // wait, and set in front of the producer for the next visit
};

class Proposer {
public:
  Proposer(const StatementTree &tree, Range range) : tree(tree), range(range) {}

  void add(const RequiredPair &pair) {
    if (pair.source == pair.destination)
      return addBarrier(pair);
    std::size_t level = commonLevel(pair);
    if (level == kNone)
      return;
    if (pair.carried)
      addCarried(pair, level);
    else
      addForward(pair, level);
  }

  std::vector<Proposal> finish() {
    std::vector<Proposal> result;
    for (auto &[place, barrier] : barriers)
      result.push_back(std::move(barrier));
    for (auto &[group, list] : spans)
      for (Span &span : widest(list))
        result.push_back(std::move(span.proposal));
    for (auto &[place, pair] : handshakes) {
      result.push_back(std::move(pair.first));
      result.push_back(std::move(pair.second));
    }
    return result;
  }

private:
  using Group = std::tuple<ListId, Pipe, Pipe, Shape>;

  /// The index in both paths of the innermost list that holds both.
  std::size_t commonLevel(const RequiredPair &pair) const {
    std::size_t level = kNone;
    for (std::size_t i = 0; i < std::min(pair.earlier.size(), pair.later.size()); ++i) {
      if (pair.earlier[i].list != pair.later[i].list)
        break;
      level = i;
      if (pair.earlier[i].child != pair.later[i].child)
        break;
    }
    return level;
  }

  void addBarrier(const RequiredPair &pair) {
    if (pair.source == Pipe::S)
      return;
    ChildPlace at = pair.later.back();
    TextPlace place{at.list, at.child, false, kWait};
    Proposal barrier{pair.source, pair.source, {{SyncKind::Barrier, place}}, pair.reason};
    barriers.try_emplace({place, pair.source}, std::move(barrier));
  }

  bool isArm(ListId list) const { return tree.lists()[list].role == ListRole::Arm; }
  std::uint32_t childCount(ListId list) const { return static_cast<std::uint32_t>(tree.lists()[list].children.size()); }

  TextPlace behind(ChildPlace at, std::uint8_t rank) const { return {at.list, at.child, true, rank}; }
  TextPlace inFrontOf(ChildPlace at, std::uint8_t rank) const { return {at.list, at.child, false, rank}; }

  void addSpan(const RequiredPair &pair, ListId list, Shape shape, std::uint32_t set, std::uint32_t wait,
               std::vector<NewSync> syncs) {
    spans[{list, pair.source, pair.destination, shape}].push_back(
        {set, wait, {pair.source, pair.destination, std::move(syncs), pair.reason}});
  }

  void addForward(const RequiredPair &pair, std::size_t level) {
    ChildPlace from = pair.earlier[level], to = pair.later[level];
    if (from.child < to.child)
      addSpan(pair, from.list, Shape::Forward, from.child, to.child,
              {{SyncKind::SetFlag, behind(from, kSet)}, {SyncKind::WaitFlag, inFrontOf(to, kWait)}});
    if (range == Range::Plain)
      return;
    for (std::size_t i = level + 1; i < pair.earlier.size(); ++i)
      if (isArm(pair.earlier[i].list)) {
        ChildPlace at = pair.earlier[i], last{at.list, childCount(at.list) - 1};
        addSpan(pair, at.list, Shape::FromArm, at.child, last.child,
                {{SyncKind::SetFlag, behind(at, kSet)}, {SyncKind::WaitFlag, behind(last, kWait)}});
      }
    for (std::size_t i = level + 1; i < pair.later.size(); ++i)
      if (isArm(pair.later[i].list)) {
        ChildPlace at = pair.later[i], first{at.list, 0};
        if (!tree.lists()[at.list].children[0].directive)
          addSpan(pair, at.list, Shape::ToArm, 0, at.child,
                  {{SyncKind::SetFlag, inFrontOf(first, kSet)}, {SyncKind::WaitFlag, inFrontOf(at, kWait)}});
      }
  }

  /// The outermost loop around a list, as a child of the list it stands in.
  ChildPlace outermostLoop(ListId list) const {
    ChildPlace loop;
    for (; list != kNone; list = tree.lists()[list].parent)
      if (tree.lists()[list].role == ListRole::Loop)
        loop = {tree.lists()[list].parent, tree.lists()[list].parentChild};
    return loop;
  }

  std::vector<NewSync> carriedSyncs(ListId list, TextPlace wait, TextPlace set) const {
    ChildPlace loop = outermostLoop(list);
    return {{SyncKind::SetFlag, inFrontOf(loop, kLast)},
            {SyncKind::WaitFlag, wait},
            {SyncKind::SetFlag, set},
            {SyncKind::WaitFlag, behind(loop, kDrain)}};
  }

  void addCarried(const RequiredPair &pair, std::size_t level) {
    ChildPlace from = pair.earlier[level], to = pair.later[level];
    if (outermostLoop(from.list).list == kNone)
      return;
    TextPlace wait = inFrontOf(to, kWait);
    if (from.child >= to.child)
      addSpan(pair, from.list, Shape::Backward, from.child, to.child,
              carriedSyncs(from.list, wait, behind(from, kSet)));
    else // behind the wait is behind the producer too
      addSpan(pair, from.list, Shape::Backward, to.child, to.child,
              carriedSyncs(from.list, wait, inFrontOf(to, kLateSet)));
    if (range == Range::Plain)
      return;
    if (from.child > to.child)
      addSpan(pair, from.list, Shape::Lagging, from.child, to.child,
              carriedSyncs(from.list, wait, inFrontOf(from, kLateSet)));
    for (std::size_t i = level; i < pair.later.size(); ++i)
      if (isArm(pair.later[i].list) && (i > level || from.child >= to.child))
        addHandshake(pair, pair.later[i]);
  }

  /// The flag, set beside its wait, and one the other way between the two that tells the setter of the wait.
  void addHandshake(const RequiredPair &pair, ChildPlace at) {
    auto key = std::make_tuple(at, pair.source, pair.destination);
    if (handshakes.count(key))
      return;
    auto number = static_cast<std::uint32_t>(handshakes.size());
    Proposal flag{pair.source, pair.destination, carriedSyncs(at.list, inFrontOf(at, kWait), inFrontOf(at, kLast)),
                  pair.reason, number};
    Proposal answer{pair.destination,
                    pair.source,
                    {{SyncKind::SetFlag, inFrontOf(at, kLateSet)}, {SyncKind::WaitFlag, inFrontOf(at, kAnswer)}},
                    pair.reason,
                    number};
    handshakes.emplace(key, std::make_pair(std::move(flag), std::move(answer)));
  }

  /// Those that no other one covers.
  static std::vector<Span> widest(std::vector<Span> &list) {
    std::stable_sort(list.begin(), list.end(), [](const Span &a, const Span &b) {
      return std::make_tuple(a.wait, ~a.set) < std::make_tuple(b.wait, ~b.set);
    });
    std::vector<Span> kept;
    for (Span &span : list)
      if (kept.empty() || span.set > kept.back().set)
        kept.push_back(std::move(span));
    return kept;
  }

  const StatementTree &tree;
  Range range;
  std::map<std::pair<TextPlace, Pipe>, Proposal> barriers;
  std::map<Group, std::vector<Span>> spans;
  std::map<std::tuple<ChildPlace, Pipe, Pipe>, std::pair<Proposal, Proposal>> handshakes;
};

} // namespace

std::vector<Proposal> proposalsFor(const RequiredOrder &order, const StatementTree &tree, Range range) {
  Proposer proposer(tree, range);
  for (const RequiredPair &pair : order.pairs)
    if (!pair.silenced)
      proposer.add(pair);
  return proposer.finish();
}

} // namespace ptosync::synthesis
