#include "compare/sync_match.h"

#include "rewrite/text_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace ptosync::compare {
namespace {

/// Blocks in reading order: of two ways, the one that stays in the loop, or the one taken when the condition holds,
/// comes first.
std::vector<BlockId> readingOrder(const Kernel &kernel, const replay::LoopNest &nest) {
  std::vector<BlockId> finished;
  std::vector<std::uint8_t> seen(kernel.blocks.size(), 0);
  struct Step {
    BlockId block;
    std::vector<BlockId> next; // the last one is followed first
  };
  auto open = [&](BlockId block) {
    seen[block] = 1;
    std::vector<BlockId> next = replay::successorsOf(kernel.blocks[block].terminator);
    replay::LoopId loop = nest.innermost(block);
    // What is followed last stands first in the reversed order.
    if (loop != kNone)
      std::stable_partition(next.begin(), next.end(), [&](BlockId to) { return nest.contains(loop, to); });
    return Step{block, std::move(next)};
  };
  std::vector<Step> stack;
  if (!kernel.blocks.empty())
    stack.push_back(open(0));
  while (!stack.empty()) {
    Step &step = stack.back();
    if (step.next.empty()) {
      finished.push_back(step.block);
      stack.pop_back();
      continue;
    }
    BlockId to = step.next.back();
    step.next.pop_back();
    if (!seen[to])
      stack.push_back(open(to));
  }
  std::reverse(finished.begin(), finished.end());
  return finished;
}

/// True where a block does more than go on behind the one in front of it.
std::vector<bool> boundaries(const Kernel &kernel, const std::vector<BlockId> &order) {
  std::vector<std::uint32_t> arrivals(kernel.blocks.size(), 0);
  std::vector<bool> begins(kernel.blocks.size(), false);
  for (BlockId block : order) {
    std::vector<BlockId> next = replay::successorsOf(kernel.blocks[block].terminator);
    for (BlockId to : next) {
      begins[to] = begins[to] || next.size() > 1 || ++arrivals[to] > 1;
    }
  }
  return begins;
}

class Outliner {
public:
  Outliner(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine)
      : kernel(kernel), nest(nest), machine(machine), entryOf(nest.loops().size(), kNone) {}

  Outline make() {
    std::vector<BlockId> order = readingOrder(kernel, nest);
    std::vector<bool> begins = boundaries(kernel, order);
    for (BlockId block : order) {
      replay::LoopId loop = nest.innermost(block);
      for (replay::LoopId around : nest.around(block))
        addLoop(around);
      if (begins[block])
        outline.items.push_back({Family::Boundary, "", nullptr, loop, std::exchange(scalars, 0)});
      for (const Statement &statement : kernel.blocks[block].statements)
        addStatement(statement, loop);
    }
    return std::move(outline);
  }

private:
  void addLoop(replay::LoopId loop) {
    if (entryOf[loop] != kNone)
      return;
    std::size_t entry = outline.loops.size();
    entryOf[loop] = static_cast<std::uint32_t>(entry);
    const replay::Loop &facts = nest.loops()[loop];
    (facts.parent == kNone ? outline.outermost : outline.loops[entryOf[facts.parent]].inner).push_back(entry);
    outline.loops.push_back({loop, facts.line, facts.depth, {}, {}});
  }

  void addStatement(const Statement &statement, replay::LoopId loop) {
    OutlineItem item{Family::Instruction, "", &statement, loop, scalars};
    if (const auto *sync = std::get_if<Sync>(&statement.action)) {
      item.family = Family::Sync;
      item.kind = syncKindText(*sync);
      if (sync->event != kNone)
        item.event = printExpression(kernel, sync->event);
    } else if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
      item.family = familyOf(*instruction);
      item.kind = instruction->name;
      if (item.family == Family::Instruction)
        for (; loop != kNone; loop = nest.loops()[loop].parent)
          ++outline.loops[entryOf[loop]].contents[item.kind];
    } else {
      ++scalars;
      return;
    }
    if (item.family != Family::Sync)
      scalars = 0;
    outline.items.push_back(std::move(item));
  }

  Family familyOf(const Instruction &instruction) const {
    if (firstOf(instruction, Operand::Kind::Fifo))
      return Family::Fifo;
    const InstructionFacts *facts = machine.instruction(instruction.name);
    bool signals = facts && (facts->is("signals") || facts->is("signals-on-pipe") || facts->is("waits-for-signal"));
    return signals ? Family::CrossCore : Family::Instruction;
  }

  const Kernel &kernel;
  const replay::LoopNest &nest;
  const Machine &machine;
  Outline outline;
  std::vector<std::uint32_t> entryOf; // by loop of the nest, into outline.loops
  std::uint32_t scalars = 0;          // since the last item that is no sync
};

} // namespace

const char *familyName(Family family) {
  switch (family) {
  case Family::Instruction: return "instruction";
  case Family::Sync: return "sync";
  case Family::CrossCore: return "cross-core";
  case Family::Fifo: return "fifo";
  case Family::Boundary: return "boundary";
  }
  return "?";
}

std::string syncKindText(const Sync &sync) {
  std::string source(pipeName(sync.source)), destination(pipeName(sync.destination));
  switch (sync.kind) {
  case SyncKind::Barrier: return "pipe_barrier(" + source + ")";
  case SyncKind::SetFlag: return "set_flag(" + source + ", " + destination + ")";
  case SyncKind::WaitFlag: return "wait_flag(" + source + ", " + destination + ")";
  case SyncKind::GetBuffer: return "get_buf(" + source + ")";
  case SyncKind::ReleaseBuffer: return "rls_buf(" + source + ")";
  case SyncKind::Tail: return "end fence";
  }
  return "?";
}

Outline outlineOf(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine) {
  return Outliner(kernel, nest, machine).make();
}

namespace {

class LoopMatcher {
public:
  LoopMatcher(const Outline &a, const Outline &b) : a(a), b(b) {}

  std::vector<LoopPair> match() {
    level(a.outermost, b.outermost);
    return std::move(pairs);
  }

private:
  using List = std::vector<std::size_t>;

  /// Loops beside each other. best[i][j]: the likeness that the loops from i and from j on can reach.
  void level(const List &left, const List &right) {
    std::vector<std::vector<double>> best(left.size() + 1, std::vector<double>(right.size() + 1, 0));
    for (std::size_t i = left.size(); i-- > 0;)
      for (std::size_t j = right.size(); j-- > 0;)
        best[i][j] = std::max({best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + alike(left[i], right[j])});
    std::size_t i = 0, j = 0;
    while (i < left.size() || j < right.size()) {
      double both = i < left.size() && j < right.size() ? alike(left[i], right[j]) : 0;
      if (both > 0 && best[i][j] <= best[i + 1][j + 1] + both) {
        pairs.push_back({left[i], right[j]});
        level(a.loops[left[i]].inner, b.loops[right[j]].inner);
        ++i, ++j;
      } else if (j == right.size() || (i < left.size() && best[i][j] <= best[i + 1][j])) {
        pairs.push_back({left[i], std::nullopt});
        level(a.loops[left[i++]].inner, {});
      } else {
        pairs.push_back({std::nullopt, right[j]});
        level({}, b.loops[right[j++]].inner);
      }
    }
  }

  /// 0 where they are different loops.
  double alike(std::size_t left, std::size_t right) const {
    double value = likeness(a.loops[left].contents, b.loops[right].contents);
    return value < kLeastLikeness ? 0 : value;
  }

  const Outline &a, &b;
  std::vector<LoopPair> pairs;
};

} // namespace

double likeness(const std::map<std::string, double> &a, const std::map<std::string, double> &b) {
  double product = 0, lengthA = 0, lengthB = 0;
  for (const auto &[kind, count] : a) {
    lengthA += count * count;
    if (auto other = b.find(kind); other != b.end())
      product += count * other->second;
  }
  for (const auto &[kind, count] : b)
    lengthB += count * count;
  if (a.empty() && b.empty())
    return 1;
  return lengthA > 0 && lengthB > 0 ? product / std::sqrt(lengthA * lengthB) : 0;
}

std::vector<LoopPair> matchLoops(const Outline &a, const Outline &b) { return LoopMatcher(a, b).match(); }

namespace {

using timing::Operation;

/// A barrier or a flag that has been passed and whose first dependent instruction is still to come.
struct Open {
  std::uint32_t barrier = kNone;           // operation; kNone: a flag
  std::uint32_t set = kNone, wait = kNone; // operations
};

class PairFinder {
public:
  explicit PairFinder(const timing::KernelTiming &timing)
      : timing(timing), operations(timing.plan().operations), sets(timing.plan().flags), taken(timing.plan().flags, 0) {
  }

  std::map<const Statement *, SyncRun> find() {
    for (now = 0; now < operations.size(); ++now) {
      const Operation &operation = operations[now];
      switch (operation.kind) {
      case Operation::Kind::Work: close(operation); break;
      case Operation::Kind::Fence: open = {}; break; // it orders everything by itself
      case Operation::Kind::Barrier: passBarrier(operation); break;
      case Operation::Kind::Set: passSet(operation); break;
      case Operation::Kind::Wait: passWait(operation); break;
      case Operation::Kind::Release: runs[statement(now)].executions += operation.weight; break;
      case Operation::Kind::Get: passGet(operation); break;
      }
    }
    for (const auto &[statement, counts] : votes)
      runs[statement].pair = mostVotedFor(counts).second.pair;
    for (const auto &[statement, others] : halves)
      runs[statement].otherHalf = mostVotedFor(others).first;
    return std::move(runs);
  }

private:
  /// By the pipes of the two sides: what stands open there, by the operation that bounds what is earlier.
  using Sides = std::pair<Pipe, Pipe>;
  using Waiting = std::multimap<std::uint32_t, Open>;
  struct Votes {
    OrderedPair pair;
    std::uint64_t count = 0;
    std::uint64_t first = 0; // in the order in which they are found
  };

  /// Of equals the one that was found first.
  template <typename Counts> static const typename Counts::value_type &mostVotedFor(const Counts &counts) {
    return *std::max_element(counts.begin(), counts.end(), [](const auto &a, const auto &b) {
      return a.second.count != b.second.count ? a.second.count < b.second.count : a.second.first > b.second.first;
    });
  }

  const Statement *statement(std::uint32_t operation) const { return &timing::statementOf(timing, operation); }

  void passBarrier(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    open[{operation.pipe, operation.pipe}].emplace(now, Open{now, kNone, kNone});
  }

  void passSet(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    sets[operation.flag].push_back(now);
  }

  void passWait(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    std::vector<std::uint32_t> &fired = sets[operation.flag];
    if (taken[operation.flag] >= fired.size())
      return;
    std::uint32_t set = fired[taken[operation.flag]++];
    open[{operation.other, operation.pipe}].emplace(set, Open{kNone, set, now});
    for (auto [half, other] : {std::pair(set, now), std::pair(now, set)})
      ++halves[statement(half)].try_emplace(statement(other), Votes{{}, 0, ++serial}).first->second.count;
  }

  void passGet(const Operation &operation) {
    runs[statement(now)].executions += operation.weight;
    for (std::uint32_t d = operation.dependences; d < operation.dependencesEnd; ++d) {
      const std::uint32_t release = timing.plan().dependences[d];
      open[{operations[release].pipe, operation.pipe}].emplace(release, Open{kNone, release, now});
      for (auto [half, other] : {std::pair(release, now), std::pair(now, release)})
        ++halves[statement(half)].try_emplace(statement(other), Votes{{}, 0, ++serial}).first->second.count;
    }
  }

  /// Ends what the data of an instruction shows to be ordered; the latest of what it depends on first.
  void close(const Operation &operation) {
    std::vector<std::uint32_t> earlier(timing.plan().dependences.begin() + operation.dependences,
                                       timing.plan().dependences.begin() + operation.dependencesEnd);
    std::sort(earlier.rbegin(), earlier.rend());
    for (std::uint32_t dependence : earlier) {
      Pipe pipe = operations[dependence].pipe;
      close({pipe, operation.pipe}, dependence);
      close({Pipe::All, Pipe::All}, dependence);
    }
  }

  void close(Sides sides, std::uint32_t dependence) {
    auto waiting = open.find(sides);
    if (waiting == open.end())
      return;
    auto first = waiting->second.upper_bound(dependence);
    for (auto at = first; at != waiting->second.end(); ++at)
      vote(at->second, dependence);
    waiting->second.erase(first, waiting->second.end());
  }

  void vote(const Open &sync, std::uint32_t dependence) {
    const replay::Trace &trace = timing.trace();
    auto iteration = [&](std::uint32_t operation) { return trace.events[operations[operation].event].iteration; };
    OrderedPair pair{statement(dependence), statement(now),
                     replay::loopCarried(trace, iteration(dependence), iteration(now))};
    for (std::uint32_t operation : {sync.barrier, sync.set, sync.wait}) {
      if (operation == kNone)
        continue;
      Votes &entry = votes[statement(operation)]
                         .try_emplace(std::make_tuple(pair.earlier, pair.later, pair.carried), Votes{pair, 0, ++serial})
                         .first->second;
      ++entry.count;
    }
  }

  const timing::KernelTiming &timing;
  const std::vector<Operation> &operations;
  std::map<Sides, Waiting> open;
  std::vector<std::vector<std::uint32_t>> sets; // by flag
  std::vector<std::size_t> taken;               // by flag
  std::map<const Statement *, SyncRun> runs;
  std::map<const Statement *, std::map<std::tuple<const Statement *, const Statement *, bool>, Votes>> votes;
  std::map<const Statement *, std::map<const Statement *, Votes>> halves; // of a set its waits, of a wait its sets
  std::uint64_t serial = 0;
  std::uint32_t now = 0; // the operation at hand
};

} // namespace

std::map<const Statement *, SyncRun> orderedPairs(const timing::KernelTiming &timing) {
  return PairFinder(timing).find();
}

std::map<const Statement *, double> executionsOf(const timing::KernelTiming &timing) {
  std::map<const Statement *, double> executions;
  const std::vector<Operation> &operations = timing.plan().operations;
  for (std::uint32_t i = 0; i < operations.size(); ++i)
    if (operations[i].kind == Operation::Kind::Work || operations[i].kind == Operation::Kind::Fence)
      executions[&timing::statementOf(timing, i)] += operations[i].weight;
  return executions;
}

namespace {

constexpr std::size_t kNobody = ~std::size_t(0);

/// Instructions that a sync may have moved past so that it is still taken for the same one, though it orders others.
constexpr std::size_t kMostMoved = 4;

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
  const Sync *sync = nullptr; // never null
  std::size_t item = 0;       // of the outline
  std::uint32_t loop = kNone;
  std::string kind, earlier, later; // names; the last two empty: it orders nothing
  std::size_t earlierItem = kNobody, laterItem = kNobody;
  bool carried = false;
  std::size_t otherHalf = kNobody;              // item
  std::size_t gap = 0;                          // how many instructions that both versions have stand in front of it
  std::uint32_t scalars = 0, scalarsAround = 0; // in front of it, and in front of the next item that is no sync
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
  std::set<std::size_t> boundaries; // gaps that begin behind one that both versions have

private:
  void addSync(std::size_t number, const SyncRuns &runs, const std::map<const Statement *, std::size_t> &itemOf) {
    const OutlineItem &item = outline.items[number];
    SyncItem sync;
    sync.sync = &std::get<Sync>(item.statement->action);
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
    // What stands where it stood under its id is the same, whatever it orders now that another sync is gone or moved.
    alignGaps();
    pairUp(
        MatchKind::Same, [&](const SyncItem &x) { return idKey(x, a); },
        [&](const SyncItem &y) { return idKey(y, b); });
    pairUp(
        MatchKind::Same, [&](const SyncItem &x) { return placeKey(x, true); },
        [&](const SyncItem &y) { return placeKey(y, true); });
    pairUp(
        MatchKind::Moved, [&](const SyncItem &x) { return identityKey(x, a); },
        [&](const SyncItem &y) { return identityKey(y, b, true); });
    followHalves();
    findWidened();
    for (Within within : {Within::Loop, Within::Kernel, Within::LoopWhateverItOrders})
      findCopies(within);
    for (bool sameLoop : {true, false})
      pairUp(
          MatchKind::Moved, [&](const SyncItem &x) { return namesKey(x, a, sameLoop); },
          [&](const SyncItem &y) { return namesKey(y, b, sameLoop); });
    pairUp(
        MatchKind::Changed, [&](const SyncItem &x) { return placeKey(x, false); },
        [&](const SyncItem &y) { return placeKey(y, false); });
    followHalves();
    settleUnmoved();
    findReordered();
    findNear();
    for (const SyncItem &sync : a.syncs)
      if (!sync.matched)
        pairs.push_back({MatchKind::Gone, sync.item, std::nullopt});
    for (const SyncItem &sync : b.syncs)
      if (!sync.matched)
        pairs.push_back({MatchKind::New, std::nullopt, sync.item});
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

  template <typename KeyA, typename KeyB> void pairUp(MatchKind change, KeyA keyA, KeyB keyB) {
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

  /// Where it stands, and its event id.
  static Key idKey(const SyncItem &sync, const Lane &lane) {
    return Key(std::in_place, sync.kind, lane.outline.items[sync.item].event, "", sync.gap, 0, sync.loop, false);
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
    forEachKept(matchLines(tokensA, tokensB), [&](std::size_t i, std::size_t j) {
      a.partner[itemsA[i]] = itemsB[j];
      b.partner[itemsB[j]] = itemsA[i];
    });
    countGaps(a);
    countGaps(b);
  }

  /// The syncs between the same instructions are laid beside each other, with the scalar statements between them.
  void alignGaps() {
    std::map<std::size_t, std::vector<SyncItem *>> inA = byGap(a), inB = byGap(b);
    for (const auto &[gap, listA] : inA) {
      auto other = inB.find(gap);
      if (other == inB.end())
        continue;
      std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint32_t> numbers;
      std::vector<SyncItem *> itemsA, itemsB;
      const std::vector<std::uint32_t> tokensA = tokensOf(listA, a, numbers, itemsA),
                                       tokensB = tokensOf(other->second, b, numbers, itemsB);
      forEachKept(matchLines(tokensA, tokensB), [&](std::size_t i, std::size_t j) {
        if (itemsA[i])
          pairWith(*itemsA[i], *itemsB[j], MatchKind::Same);
      });
    }
  }

  static std::map<std::size_t, std::vector<SyncItem *>> byGap(Lane &lane) {
    std::map<std::size_t, std::vector<SyncItem *>> list;
    for (SyncItem &sync : lane.syncs)
      list[sync.gap].push_back(&sync);
    return list;
  }

  /// One number for each scalar statement and for each sync, alike where they are; `items`: the syncs, null for scalar
  /// statements.
  static std::vector<std::uint32_t>
  tokensOf(const std::vector<SyncItem *> &syncs, const Lane &lane,
           std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint32_t> &numbers,
           std::vector<SyncItem *> &items) {
    std::vector<std::uint32_t> tokens;
    std::uint32_t passed = 0;
    auto scalars = [&](std::uint32_t until) {
      for (passed = until < passed ? 0 : passed; passed < until; ++passed) {
        tokens.push_back(0);
        items.push_back(nullptr);
      }
    };
    for (SyncItem *sync : syncs) {
      scalars(sync->scalars);
      const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
      tokens.push_back(
          numbers.try_emplace({sync->kind, lane.outline.items[sync->item].event, sync->loop}, next).first->second);
      items.push_back(sync);
    }
    scalars(syncs.back()->scalarsAround);
    return tokens;
  }

  static void countGaps(Lane &lane) {
    const std::vector<OutlineItem> &items = lane.outline.items;
    std::size_t passed = 0, next = 0;
    for (SyncItem &sync : lane.syncs) {
      for (; next < sync.item; ++next) {
        if (lane.partner[next] == kNobody)
          continue;
        ++passed;
        if (items[next].family == Family::Boundary)
          lane.boundaries.insert(passed);
      }
      sync.gap = passed;
      sync.scalars = items[sync.item].scalars;
      std::size_t behind = sync.item;
      while (behind + 1 < items.size() && items[behind].family == Family::Sync)
        ++behind;
      sync.scalarsAround = items[behind].scalars;
    }
  }

  /// What one half of a flag is paired with in both versions is the same other half, wherever that stands.
  void followHalves() {
    std::map<std::size_t, std::size_t> partners = partnersOfA();
    auto halfKey = [](const SyncItem &sync, std::size_t half) {
      return Key(std::in_place, sync.kind, "", "", half, 0, 0, false);
    };
    pairUp(
        MatchKind::Moved,
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
      if (pair.change != MatchKind::Changed)
        continue;
      std::size_t halfInA = inA.at(*pair.a)->otherHalf, halfInB = inB.at(*pair.b)->otherHalf;
      auto partner = partners.find(halfInA);
      bool barrier = halfInA == kNobody && halfInB == kNobody;
      if (barrier || (partner != partners.end() && partner->second == halfInB))
        pair.change = MatchKind::Same;
    }
  }

  /// What stands between the same instructions has moved all the same where it stands on another side of a scalar
  /// statement, as far as both versions have as many there, or of another sync.
  void findReordered() {
    std::map<std::size_t, SyncItem *> inA = byItem(a), inB = byItem(b);
    std::map<std::size_t, std::vector<SyncPair *>> byGap;
    for (SyncPair &pair : pairs) {
      if (pair.change != MatchKind::Same)
        continue;
      const SyncItem &x = *inA.at(*pair.a), &y = *inB.at(*pair.b);
      if (x.gap != y.gap)
        continue;
      if (x.scalarsAround == y.scalarsAround && x.scalars != y.scalars)
        pair.change = MatchKind::Moved;
      else
        byGap[x.gap].push_back(&pair);
    }
    for (auto &[gap, list] : byGap)
      keepLongestInOrder(list);
  }

  /// Of pairs in one gap, those that are in one order in both versions stay as they are: as many as can be.
  static void keepLongestInOrder(std::vector<SyncPair *> &list) {
    std::sort(list.begin(), list.end(), [](const SyncPair *x, const SyncPair *y) { return *x->a < *y->a; });
    std::vector<std::size_t> length(list.size(), 1), before(list.size(), kNobody);
    std::size_t last = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        if (*list[j]->b < *list[i]->b && length[j] + 1 > length[i]) {
          length[i] = length[j] + 1;
          before[i] = j;
        }
      if (length[i] > length[last])
        last = i;
    }
    std::vector<bool> stays(list.size(), false);
    for (std::size_t i = last; i != kNobody; i = before[i])
      stays[i] = true;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!stays[i])
        list[i]->change = MatchKind::Moved;
  }

  /// A barrier of every pipe that stands where the other version has one sync: behind as many syncs that both have, or
  /// as near to that as can be; of several first a barrier, then a wait, whose place is where it holds back.
  void findWidened() {
    using Rank = std::tuple<std::size_t, int, std::size_t, std::size_t>; // distance, kind, then in reading order
    std::map<Rank, std::pair<SyncItem *, SyncItem *>> ranked;
    const std::vector<std::size_t> leftInA = unmatched(a), leftInB = unmatched(b);
    const std::vector<std::size_t> behindInA = matchedBefore(a), behindInB = matchedBefore(b);
    for (std::size_t i : leftInA)
      for (std::size_t j : leftInB) {
        SyncItem &x = a.syncs[i], &y = b.syncs[j];
        if (x.gap != y.gap || x.loop != y.loop || isWide(x) == isWide(y))
          continue;
        const SyncKind narrow = (isWide(x) ? y : x).sync->kind;
        const int kind = narrow == SyncKind::Barrier ? 0 : narrow == SyncKind::WaitFlag ? 1 : 2;
        const auto [low, high] = std::minmax(behindInA[i], behindInB[j]);
        if (narrow != SyncKind::Tail)
          ranked.emplace(Rank(high - low, kind, i, j), std::pair(&x, &y));
      }
    for (const auto &[rank, pair] : ranked)
      if (!pair.first->matched && !pair.second->matched)
        pairWith(*pair.first, *pair.second, isWide(*pair.second) ? MatchKind::Widened : MatchKind::Narrowed);
  }

  static bool isWide(const SyncItem &item) {
    return item.sync->kind == kBarrierAll.kind && item.sync->source == kBarrierAll.source;
  }

  static std::vector<std::size_t> unmatched(const Lane &lane) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < lane.syncs.size(); ++i)
      if (!lane.syncs[i].matched)
        numbers.push_back(i);
    return numbers;
  }

  /// For each sync, how many that both versions have stand in front of it, in its gap.
  static std::vector<std::size_t> matchedBefore(const Lane &lane) {
    std::vector<std::size_t> counts(lane.syncs.size(), 0);
    for (std::size_t i = 1; i < counts.size(); ++i)
      if (lane.syncs[i - 1].gap == lane.syncs[i].gap)
        counts[i] = counts[i - 1] + (lane.syncs[i - 1].matched ? 1 : 0);
    return counts;
  }

  /// Of what is left, those of one kind that stand near each other, nearest first: in one stretch of code, or under one
  /// event id on two sides of a branch or a loop. Such a sync has moved so that it orders something else.
  void findNear() {
    for (bool across : {false, true})
      for (std::size_t distance = 0; distance <= kMostMoved; ++distance)
        for (std::size_t i : unmatched(a))
          for (std::size_t j : unmatched(b)) {
            SyncItem &x = a.syncs[i], &y = b.syncs[j];
            if (!x.matched && !y.matched && x.kind == y.kind && isNear(x, y, distance, across))
              pairWith(x, y, MatchKind::Changed);
          }
  }

  bool isNear(const SyncItem &x, const SyncItem &y, std::size_t distance, bool across) const {
    const auto [low, high] = std::minmax(x.gap, y.gap);
    if (high - low != distance)
      return false;
    if (across)
      return a.outline.items[x.item].event == b.outline.items[y.item].event;
    const auto between = a.boundaries.upper_bound(low);
    return x.loop == y.loop && (between == a.boundaries.end() || *between > high);
  }

  void pairWith(SyncItem &x, SyncItem &y, MatchKind change) {
    x.matched = y.matched = true;
    pairs.push_back({change, x.item, y.item});
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
        if (sync.matched || !copies || sync.executions == 0)
          continue;
        sync.matched = true;
        std::optional<std::size_t> item = sync.item, none;
        pairs.push_back({MatchKind::Copies, side ? none : item, side ? item : none});
      }
  }

  Lane &a, &b;
  std::vector<SyncPair> pairs;
};

} // namespace

const char *matchKindName(MatchKind change) {
  switch (change) {
  case MatchKind::Same: return "same";
  case MatchKind::Moved: return "moved";
  case MatchKind::Changed: return "changed";
  case MatchKind::Copies: return "copies";
  case MatchKind::Gone: return "gone";
  case MatchKind::New: return "new";
  case MatchKind::Widened: return "widened";
  case MatchKind::Narrowed: return "narrowed";
  }
  return "?";
}

std::vector<SyncPair> matchSyncs(const Version &a, const Version &b, const std::vector<LoopPair> &loops) {
  Lane laneA(a, numberLoops(a.outline, loops, &LoopPair::a));
  Lane laneB(b, numberLoops(b.outline, loops, &LoopPair::b));
  return SyncMatcher(laneA, laneB).match();
}

} // namespace ptosync::compare
