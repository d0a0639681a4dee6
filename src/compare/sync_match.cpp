#include "compare/sync_match.h"

#include "rewrite/line_matcher.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ptosync::compare {
namespace {

constexpr std::size_t kNobody = ~std::size_t(0);

/// A loop that has a partner has one number in both versions.
std::map<replay::LoopId, std::uint32_t> numberLoops(const Outline &outline, const std::vector<LoopPair> &loops,
                                                    std::optional<std::size_t> LoopPair::*side) {
  std::map<replay::LoopId, std::uint32_t> numbers;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].*side)
      numbers[outline.loops[*(loops[i].*side)].loop] = static_cast<std::uint32_t>(i);
  return numbers;
}

struct SyncItem {
  std::size_t item = 0; // of the outline
  std::uint32_t loop = kNone;
  std::string kind, earlier, later; // names; the last two empty: it orders nothing
  std::size_t earlierItem = kNobody, laterItem = kNobody;
  bool carried = false;
  std::size_t otherHalf = kNobody; // item
  std::size_t gap = 0;             // how many instructions that both versions have stand in front of it
  double executions = 0;
  bool matched = false;
};

/// One version with what the comparison needs of it.
class Lane {
public:
  Lane(const Version &version, std::map<replay::LoopId, std::uint32_t> loops)
      : outline(version.outline), loopNumbers(std::move(loops)), partner(outline.items.size(), kNobody) {
    std::map<const Statement *, std::size_t> itemOf;
    for (std::size_t i = 0; i < outline.items.size(); ++i)
      if (outline.items[i].statement)
        itemOf[outline.items[i].statement] = i;
    for (std::size_t i = 0; i < outline.items.size(); ++i)
      if (outline.items[i].family == Family::Sync)
        addSync(i, version.runs, itemOf);
  }

  std::uint32_t loopOf(const OutlineItem &item) const { return item.loop == kNone ? kNone : loopNumbers.at(item.loop); }

  const Outline &outline;
  std::map<replay::LoopId, std::uint32_t> loopNumbers;
  std::vector<std::size_t> partner; // by item: that of the other version
  std::vector<SyncItem> syncs;

private:
  void addSync(std::size_t number, const SyncRuns &runs, const std::map<const Statement *, std::size_t> &itemOf) {
    const OutlineItem &item = outline.items[number];
    SyncItem sync;
    sync.item = number;
    sync.loop = loopOf(item);
    sync.kind = item.kind;
    if (auto run = runs.find(item.statement); run != runs.end()) {
      sync.executions = run->second.executions;
      if (run->second.otherHalf)
        sync.otherHalf = itemOf.at(run->second.otherHalf);
      if (const OrderedPair &pair = run->second.pair; !pair.empty()) {
        sync.earlierItem = itemOf.at(pair.earlier);
        sync.laterItem = itemOf.at(pair.later);
        sync.earlier = outline.items[sync.earlierItem].kind;
        sync.later = outline.items[sync.laterItem].kind;
        sync.carried = pair.carried;
      }
    }
    syncs.push_back(std::move(sync));
  }
};

class SyncMatcher {
public:
  SyncMatcher(Lane &a, Lane &b) : a(a), b(b) {}

  std::vector<SyncPair> match() {
    alignInstructions();
    pairUp(
        SyncChange::Same, [&](const SyncItem &x) { return placeKey(x, true); },
        [&](const SyncItem &y) { return placeKey(y, true); });
    pairUp(
        SyncChange::Moved, [&](const SyncItem &x) { return identityKey(x, a); },
        [&](const SyncItem &y) { return identityKey(y, b, true); });
    followHalves();
    for (Within within : {Within::Loop, Within::Kernel, Within::LoopWhateverItOrders})
      findCopies(within);
    for (bool sameLoop : {true, false})
      pairUp(
          SyncChange::Moved, [&](const SyncItem &x) { return namesKey(x, a, sameLoop); },
          [&](const SyncItem &y) { return namesKey(y, b, sameLoop); });
    pairUp(
        SyncChange::Changed, [&](const SyncItem &x) { return placeKey(x, false); },
        [&](const SyncItem &y) { return placeKey(y, false); });
    followHalves();
    settleUnmoved();
    for (const SyncItem &sync : a.syncs)
      if (!sync.matched)
        pairs.push_back({SyncChange::Gone, sync.item, std::nullopt});
    for (const SyncItem &sync : b.syncs)
      if (!sync.matched)
        pairs.push_back({SyncChange::New, std::nullopt, sync.item});
    std::stable_sort(pairs.begin(), pairs.end(), [](const SyncPair &x, const SyncPair &y) {
      return std::make_tuple(!x.a, x.a.value_or(0), x.b.value_or(0)) <
             std::make_tuple(!y.a, y.a.value_or(0), y.b.value_or(0));
    });
    return std::move(pairs);
  }

private:
  /// Syncs of both versions that have one key are paired in reading order; an empty key has none.
  using Key =
      std::optional<std::tuple<std::string, std::string, std::string, std::size_t, std::size_t, std::uint32_t, bool>>;

  template <typename KeyA, typename KeyB> void pairUp(SyncChange change, KeyA keyA, KeyB keyB) {
    std::map<Key, std::vector<SyncItem *>> waiting;
    for (SyncItem &sync : b.syncs)
      if (!sync.matched)
        if (Key key = keyB(sync))
          waiting[key].push_back(&sync);
    for (auto &[key, list] : waiting)
      std::reverse(list.begin(), list.end());
    for (SyncItem &sync : a.syncs) {
      Key key = sync.matched ? Key() : keyA(sync);
      auto found = key ? waiting.find(key) : waiting.end();
      if (found == waiting.end() || found->second.empty())
        continue;
      SyncItem &other = *found->second.back();
      found->second.pop_back();
      sync.matched = other.matched = true;
      pairs.push_back({change, sync.item, other.item});
    }
  }

  /// Where it stands, and, if asked for, the names of what it orders.
  static Key placeKey(const SyncItem &sync, bool names) {
    return Key(std::in_place, sync.kind, names ? sync.earlier : "", names ? sync.later : "", sync.gap, 0, sync.loop,
               names && sync.carried);
  }

  /// The two instructions that it orders, as the first version numbers them.
  static Key identityKey(const SyncItem &sync, const Lane &lane, bool second = false) {
    std::size_t earlier = sync.earlierItem, later = sync.laterItem;
    if (earlier == kNobody || lane.partner[earlier] == kNobody || lane.partner[later] == kNobody)
      return std::nullopt;
    if (second) {
      earlier = lane.partner[earlier];
      later = lane.partner[later];
    }
    return Key(std::in_place, sync.kind, "", "", earlier, later, 0, sync.carried);
  }

  /// The names of what it orders, where that stands elsewhere in the other version.
  static Key namesKey(const SyncItem &sync, const Lane &lane, bool sameLoop) {
    if (sync.earlierItem != kNobody && lane.partner[sync.earlierItem] != kNobody &&
        lane.partner[sync.laterItem] != kNobody)
      return std::nullopt;
    return Key(std::in_place, sync.kind, sync.earlier, sync.later, 0, 0, sameLoop ? sync.loop : 0, false);
  }

  void alignInstructions() {
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers;
    // A loop without a partner is nowhere in the other version, and neither is what stands in it.
    auto list = [&](const Lane &lane, std::vector<std::size_t> &items) {
      std::vector<std::uint32_t> tokens;
      for (std::size_t i = 0; i < lane.outline.items.size(); ++i) {
        const OutlineItem &item = lane.outline.items[i];
        if (item.family == Family::Sync)
          continue;
        items.push_back(i);
        tokens.push_back(numbers
                             .try_emplace({std::string(familyName(item.family)) + " " + item.kind, lane.loopOf(item)},
                                          static_cast<std::uint32_t>(numbers.size()))
                             .first->second);
      }
      return tokens;
    };
    std::vector<std::size_t> itemsA, itemsB;
    std::vector<std::uint32_t> tokensA = list(a, itemsA), tokensB = list(b, itemsB);
    ChangedLines changed = matchLines(tokensA, tokensB);
    std::size_t j = 0;
    for (std::size_t i = 0; i < itemsA.size(); ++i) {
      if (changed.removed[i])
        continue;
      while (changed.added[j])
        ++j;
      a.partner[itemsA[i]] = itemsB[j];
      b.partner[itemsB[j++]] = itemsA[i];
    }
    countGaps(a);
    countGaps(b);
  }

  static void countGaps(Lane &lane) {
    std::size_t passed = 0, next = 0;
    for (SyncItem &sync : lane.syncs) {
      for (; next < sync.item; ++next)
        passed += lane.partner[next] != kNobody;
      sync.gap = passed;
    }
  }

  /// What one half of a flag is paired with in both versions is the same other half, wherever that stands.
  void followHalves() {
    std::map<std::size_t, std::size_t> partners = partnersOfA();
    auto halfKey = [](const SyncItem &sync, std::size_t half) {
      return Key(std::in_place, sync.kind, "", "", half, 0, 0, false);
    };
    pairUp(
        SyncChange::Moved,
        [&](const SyncItem &x) {
          auto half = partners.find(x.otherHalf);
          return half == partners.end() ? Key() : halfKey(x, half->second);
        },
        [&](const SyncItem &y) { return y.otherHalf == kNobody ? Key() : halfKey(y, y.otherHalf); });
  }

  /// Items of B by those of A.
  std::map<std::size_t, std::size_t> partnersOfA() const {
    std::map<std::size_t, std::size_t> partners;
    for (const SyncPair &pair : pairs)
      if (pair.a && pair.b)
        partners[*pair.a] = *pair.b;
    return partners;
  }

  /// An instruction more beside a sync is nearer than the pair it had, and a half that moved orders something else:
  /// what stands where it stood, with the same other half, is the same sync.
  void settleUnmoved() {
    std::map<std::size_t, std::size_t> partners = partnersOfA();
    std::map<std::size_t, SyncItem *> inA = byItem(a), inB = byItem(b);
    for (SyncPair &pair : pairs) {
      if (pair.change != SyncChange::Changed)
        continue;
      std::size_t halfInA = inA.at(*pair.a)->otherHalf, halfInB = inB.at(*pair.b)->otherHalf;
      auto partner = partners.find(halfInA);
      bool barrier = halfInA == kNobody && halfInB == kNobody;
      if (barrier || (partner != partners.end() && partner->second == halfInB))
        pair.change = SyncChange::Same;
    }
  }

  static std::map<std::size_t, SyncItem *> byItem(Lane &lane) {
    std::map<std::size_t, SyncItem *> found;
    for (SyncItem &sync : lane.syncs)
      found[sync.item] = &sync;
    return found;
  }

  enum class Within { Loop, Kernel, LoopWhateverItOrders };

  /// What one version has more of, though it runs as often.
  void findCopies(Within within) {
    struct Total {
      std::size_t statements[2] = {0, 0};
      double executions[2] = {0, 0};
    };
    auto key = [&](const SyncItem &sync) {
      bool named = within != Within::LoopWhateverItOrders;
      return std::make_tuple(sync.kind, named ? sync.earlier : "", named ? sync.later : "",
                             within == Within::Kernel ? 0u : sync.loop);
    };
    std::map<std::tuple<std::string, std::string, std::string, std::uint32_t>, Total> totals;
    for (int side : {0, 1})
      for (const SyncItem &sync : (side ? b : a).syncs) {
        Total &total = totals[key(sync)];
        ++total.statements[side];
        total.executions[side] += sync.executions;
      }
    for (int side : {0, 1})
      for (SyncItem &sync : (side ? b : a).syncs) {
        const Total &total = totals[key(sync)];
        bool copies = total.statements[0] && total.statements[1] && total.statements[0] != total.statements[1] &&
                      std::abs(total.executions[0] - total.executions[1]) < 0.5 && total.executions[0] > 0;
        if (sync.matched || !copies)
          continue;
        sync.matched = true;
        std::optional<std::size_t> item = sync.item, none;
        pairs.push_back({SyncChange::Copies, side ? none : item, side ? item : none});
      }
  }

  Lane &a, &b;
  std::vector<SyncPair> pairs;
};

} // namespace

const char *syncChangeName(SyncChange change) {
  switch (change) {
  case SyncChange::Same: return "same";
  case SyncChange::Moved: return "moved";
  case SyncChange::Changed: return "changed";
  case SyncChange::Copies: return "copies";
  case SyncChange::Gone: return "gone";
  case SyncChange::New: return "new";
  }
  return "?";
}

std::vector<SyncPair> matchSyncs(const Version &a, const Version &b, const std::vector<LoopPair> &loops) {
  Lane laneA(a, numberLoops(a.outline, loops, &LoopPair::a));
  Lane laneB(b, numberLoops(b.outline, loops, &LoopPair::b));
  return SyncMatcher(laneA, laneB).match();
}

} // namespace ptosync::compare
