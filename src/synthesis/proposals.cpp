#include "synthesis/proposals.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// Where a comment that begins with `//` ends: at the end of its line, or of the last that a backslash joins to it.
std::size_t endOfJoinedLine(llvm::StringRef text, std::size_t at) {
  while (true) {
    at = std::min(text.find('\n', at), text.size());
    if (at == text.size() || !text.take_front(at).rtrim(" \t\r").ends_with("\\"))
      return at;
    ++at;
  }
}

/// Where a child ends, with the lone semicolons behind it that nothing but white space parts from it: `};`.
std::uint32_t endOf(const StatementTree &tree, const SourceText &source, ChildPlace place) {
  const std::vector<BraceList::Child> &children = tree.lists()[place.list].children;
  std::uint32_t last = place.child;
  auto parted = [&](std::uint32_t next) {
    return !llvm::StringRef(source.text()).slice(children[last].end, children[next].begin).trim().empty();
  };
  while (last + 1 < children.size() && children[last + 1].empty && !parted(last + 1))
    ++last;
  return children[last].end;
}

/// Behind a statement that ends at `begin`: a line of its own, if nothing but comments follow on that one's.
TextPlace placeBehind(const SourceText &source, std::uint32_t begin) {
  const std::string &text = source.text();
  std::size_t end = text.find('\n', begin);
  if (end == std::string::npos)
    end = text.size();
  llvm::StringRef rest = llvm::StringRef(text).slice(begin, end).trim();
  bool own = rest.empty() || (rest.starts_with("//") && endOfJoinedLine(text, begin) == end) ||
             (rest.starts_with("/*") && rest.ends_with("*/"));
  if (!own)
    return {begin, 0, TextPlace::Line::Shared};
  if (end > 0 && text[end - 1] == '\r')
    --end;
  return {static_cast<std::uint32_t>(end), 0, TextPlace::Line::Behind};
}

/// The event of one sync of a flag whose ids begin with `id`.
std::string eventOf(const Proposal &proposal, const NewSync &sync, std::int64_t id) {
  if (!sync.counted)
    return eventName(id + sync.slot);
  std::string count = proposal.counter;
  if (sync.slot != 0)
    count = "(" + count + " + " + std::to_string(sync.slot) + ")";
  std::string first = id == 0 ? "" : std::to_string(id) + " + ";
  return "(event_t) (" + first + count + " % " + std::to_string(proposal.slots) + ")";
}

} // namespace

void setReason(AddedSync &added, const OrderReason &reason) {
  added.earlier = reason.earlier;
  added.later = reason.later;
  added.earlierLine = reason.earlierLine;
  added.laterLine = reason.laterLine;
}

std::string eventName(std::int64_t id) {
  return id < 8 ? "EVENT_ID" + std::to_string(id) : "(event_t)" + std::to_string(id);
}

std::string statementText(SyncKind kind, Pipe source, Pipe destination, const std::string &event) {
  if (kind == SyncKind::Barrier)
    return "pipe_barrier(" + std::string(pipeName(source)) + ");";
  return std::string(kind == SyncKind::SetFlag ? "set_flag(" : "wait_flag(") + std::string(pipeName(source)) + ", " +
         std::string(pipeName(destination)) + ", " + event + ");";
}

std::string statementText(SyncKind kind, Pipe source, Pipe destination, std::int64_t id) {
  if (isBuffer(kind))
    return std::string(kind == SyncKind::GetBuffer ? "get_buf(" : "rls_buf(") + std::string(pipeName(source)) + ", " +
           std::to_string(id) + ", 0);";
  return statementText(kind, source, destination, eventName(id));
}

std::vector<AddedSync> additionsOf(const Proposal &proposal, std::int64_t id, const SourceText &source,
                                   const StatementTree &tree) {
  std::vector<AddedSync> additions;
  for (const NewSync &sync : proposal.syncs) {
    const ChildPlace place{sync.place.list, sync.place.child};
    const BraceList::Child &child = tree.child(place);
    AddedSync added;
    added.kind = sync.kind;
    added.source = proposal.source;
    added.destination = proposal.destination;
    added.id = proposal.isBarrier() || sync.counted ? -1 : id + sync.slot;
    added.statement = statementText(sync.kind, proposal.source, proposal.destination, eventOf(proposal, sync, id));
    added.guard = sync.guard;
    added.place =
        sync.place.behind ? placeBehind(source, endOf(tree, source, place)) : placeInFront(source, child.front);
    added.place.beside = child.begin;
    // Where the two statements have nothing between them, what is behind the one and in front of the other begin at one
    // byte.
    added.place.rank = sync.place.rank + (sync.place.behind ? 0U : kRanks);
    setReason(added, proposal.reasonOf(sync));
    additions.push_back(std::move(added));
  }
  return additions;
}

SyncPlaces::SyncPlaces(const Kernel &kernel, const StatementTree &tree, const SourceText &source,
                       const Program &program)
    : tree(tree), source(source) {
  for (const Node &node : program.nodes)
    if (!node.accesses.empty() || node.fence)
      for (ChildPlace place : tree.pathOf(*node.statement))
        pipes[place].insert(node.pipe);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action); sync && sync->kind == SyncKind::Tail)
        for (ChildPlace place : tree.pathOf(statement))
          ends.try_emplace(place.list, place.child);
}

bool SyncPlaces::holdsLoop(ListId list, std::uint32_t child) const {
  for (ListId inner : tree.lists()[list].children[child].lists)
    if (tree.lists()[inner].role == ListRole::Loop)
      return true;
  return false;
}

bool SyncPlaces::runsOn(ListId list, std::uint32_t child, Pipe pipe) const {
  auto found = pipes.find({list, child});
  return found != pipes.end() && found->second.count(pipe);
}

bool SyncPlaces::holds(ListId list, std::uint32_t child, const std::set<std::uint32_t> &offsets) const {
  const BraceList::Child &of = tree.lists()[list].children[child];
  auto first = offsets.lower_bound(of.begin);
  return first != offsets.end() && *first < of.end;
}

std::optional<ListPlace> SyncPlaces::inFront(ListId list, std::uint32_t child) const {
  const std::vector<BraceList::Child> &children = tree.lists()[list].children;
  if (child >= children.size() || children[child].empty)
    return std::nullopt;
  std::uint32_t from = child ? children[child - 1].end : tree.lists()[list].open;
  if (llvm::StringRef(source.text()).slice(from, children[child].begin).contains("ptosync"))
    return std::nullopt; // a comment of the tool's belongs to what stands below it
  return ListPlace{list, child, false, 0};
}

std::optional<ListPlace> SyncPlaces::behind(ListId list, std::uint32_t child) const {
  const std::vector<BraceList::Child> &children = tree.lists()[list].children;
  if (child >= children.size() || children[child].empty)
    return std::nullopt;
  return ListPlace{list, child, true, 0};
}

/// In front of child `child`, or behind the last one.
std::optional<ListPlace> SyncPlaces::gap(ListId list, std::uint32_t child, SyncKind kind) const {
  std::uint32_t count = static_cast<std::uint32_t>(tree.lists()[list].children.size());
  bool loopBehind = child < count && holdsLoop(list, child), loopInFront = child > 0 && holdsLoop(list, child - 1);
  bool front = kind == SyncKind::SetFlag ? loopBehind && !loopInFront : !loopInFront;
  std::optional<ListPlace> first = front ? inFront(list, child) : child > 0 ? behind(list, child - 1) : std::nullopt;
  if (first)
    return first;
  return front ? (child > 0 ? behind(list, child - 1) : std::nullopt) : inFront(list, child);
}

std::vector<ListPlace> SyncPlaces::forFlag(SyncKind kind, Pipe pipe, const std::set<std::uint32_t> &beside) const {
  std::vector<ListPlace> places;
  for (ListId list = 0; list < tree.lists().size(); ++list) {
    const std::vector<BraceList::Child> &children = tree.lists()[list].children;
    auto end = ends.find(list);
    std::uint32_t last = end == ends.end() ? static_cast<std::uint32_t>(children.size()) : end->second;
    for (std::uint32_t child = 0; child <= last && !children.empty(); ++child) {
      bool telling = false;
      for (std::uint32_t next : {child - 1, child})
        if (next < children.size()) {
          bool work = (kind == SyncKind::SetFlag) == (next != child) && runsOn(list, next, pipe);
          telling = telling || work || holdsLoop(list, next) || holds(list, next, beside);
        }
      if (!telling)
        continue;
      if (std::optional<ListPlace> place = gap(list, child, kind))
        places.push_back(*place);
    }
  }
  return places;
}

std::optional<ListPlace> SyncPlaces::inFrontOf(std::uint32_t offset) const {
  for (ListId list = 0; list < tree.lists().size(); ++list)
    for (std::uint32_t child = 0; child < tree.lists()[list].children.size(); ++child)
      if (tree.lists()[list].children[child].begin == offset)
        return inFront(list, child);
  return std::nullopt;
}

bool SyncPlaces::definesBehind(const ListPlace &place, std::uint32_t use, std::string_view expression) const {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  const std::vector<BraceList::Child> &children = tree.lists()[place.list].children;
  for (llvm::StringRef rest(expression.data(), expression.size()); !rest.empty();) {
    rest = rest.drop_until(isWord);
    llvm::StringRef name = rest.take_while(isWord);
    rest = rest.drop_front(name.size());
    if (name.empty() || llvm::isDigit(name.front()))
      continue;
    for (std::uint32_t child = place.behind ? place.child + 1 : place.child; child < use; ++child) {
      llvm::StringRef text = llvm::StringRef(source.text()).slice(children[child].begin, children[child].end);
      for (std::size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
        llvm::StringRef after = text.drop_front(at + name.size());
        bool whole = (at == 0 || !isWord(text[at - 1])) && (after.empty() || !isWord(after.front()));
        after = after.ltrim();
        bool call = after.starts_with(")") || after.starts_with(",");
        if (whole && !call)
          return true;
      }
    }
  }
  return false;
}

std::uint32_t SyncPlaces::offsetOf(const ListPlace &place) const {
  const BraceList::Child &child = tree.child({place.list, place.child});
  return place.behind ? child.end : child.begin;
}

std::uint32_t SyncPlaces::lineOf(const ListPlace &place) const { return source.position(offsetOf(place)).line; }

namespace {

/// The counter's value in the first or last of at least two trips; empty: it is not known.
std::optional<std::int64_t> valueIn(const LoopCounter &counter, Trip trip) {
  if (!counter.start || !counter.trips || *counter.trips < 2)
    return std::nullopt;
  if (trip == Trip::First)
    return counter.start;
  std::int64_t way = 0, last = 0;
  if (__builtin_mul_overflow(*counter.trips - 1, counter.step, &way) ||
      __builtin_add_overflow(*counter.start, way, &last))
    return std::nullopt;
  return last;
}

} // namespace

std::optional<std::string> tripGuard(const RequiredOrder &order, const StatementTree &tree, const TreePath &path,
                                     std::size_t level, const std::vector<LoopId> &loops, Trip trip) {
  std::string condition;
  std::size_t next = 0;
  for (std::size_t i = level + 1; i < path.size(); ++i) {
    const ListRole role = tree.lists()[path[i].list].role;
    if (role == ListRole::Arm)
      return std::nullopt;
    if (role != ListRole::Loop)
      continue;
    if (next == loops.size())
      return std::nullopt;
    auto counter = order.counters.find(loops[next++]);
    if (counter == order.counters.end())
      return std::nullopt;
    std::optional<std::int64_t> value = valueIn(counter->second, trip);
    if (!value)
      return std::nullopt;
    condition += (condition.empty() ? "" : " && ") + counter->second.name + " == " + std::to_string(*value);
  }
  return condition.empty() || next != loops.size() ? std::nullopt : std::optional(std::move(condition));
}

namespace {

/// Ranks of what stands at one place: first what waits, then what may only be set behind that.
enum Rank : std::uint8_t { kSet = 0, kWait = 1, kLateSet = 2, kAnswer = 3, kLast = 4, kDrain = 5 };

/// Of carriedSyncs: primed, wait, set, drained.
constexpr std::size_t kRingWait = 1, kRingSet = 2;

/// Numbers of handshakes from here on are those of meetings.
constexpr std::uint32_t kFirstMeeting = 1U << 16;

/// Flags of one list that differ in how much they cover: a later set and an earlier wait cover more.
struct Span {
  std::uint32_t set = 0, wait = 0; // positions in the list: child, or the number behind the last one
  Proposal proposal;
};

/// Why a flag is answered: its setter must not set it again before it was waited for.
OrderReason answerTo(const RequiredPair &pair) {
  const std::uint32_t line = pair.reason.laterLine;
  return {"the waits of " + std::string(pipeName(pair.destination)),
          "the sets of " + std::string(pipeName(pair.source)), line, line};
}

ListPlace behind(ChildPlace at, Rank rank) { return {at.list, at.child, true, rank}; }
ListPlace inFrontOf(ChildPlace at, Rank rank) { return {at.list, at.child, false, rank}; }

/// The flag the other way, between a wait in front of a child and a late set there.
Proposal answer(const RequiredPair &pair, ChildPlace at, std::uint32_t number) {
  return {pair.destination,
          pair.source,
          {{SyncKind::SetFlag, inFrontOf(at, kLateSet)}, {SyncKind::WaitFlag, inFrontOf(at, kAnswer)}},
          answerTo(pair),
          number};
}

class Proposer {
public:
  Proposer(const RequiredOrder &order, const StatementTree &tree, Range range)
      : order(order), tree(tree), range(range), counters(order.counters) {
    for (ListId list = 0; list < tree.lists().size(); ++list)
      for (std::uint32_t child = 0; child < childCount(list); ++child)
        if (tree.child({list, child}).jump != Jump::None)
          jumps.push_back({list, child});
    if (range == Range::Slots)
      findLags(order);
    if (range == Range::Trips)
      findPipes();
  }

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
    if (range == Range::Slots)
      addSlots(pair, level);
  }

  std::vector<Proposal> finish() {
    std::vector<Proposal> result;
    result.reserve(barriers.size());
    for (auto &[place, barrier] : barriers)
      result.push_back(std::move(barrier));
    std::map<FanKey, Proposal> spread = fannedOut();
    for (auto &[group, list] : spans) {
      // What may be waited for inside a branch instead does not make the others redundant.
      std::vector<Span> inside, others;
      for (Span &span : list) {
        bool fanned = std::get<FlagShape>(group) == FlagShape::Forward && spread.count(keyOf(group, span)) != 0;
        (fanned ? inside : others).push_back(std::move(span));
      }
      for (std::vector<Span> *part : {&others, &inside})
        for (Span &span : widest(*part))
          result.push_back(std::move(span.proposal));
    }
    for (auto &[key, fan] : spread)
      result.push_back(std::move(fan));
    for (auto &[group, list] : peeled)
      for (Span &span : widest(list))
        result.push_back(std::move(span.proposal));
    for (auto &[place, pair] : handshakes) {
      result.push_back(std::move(pair.first));
      result.push_back(std::move(pair.second));
    }
    return result;
  }

private:
  using Group = std::tuple<ListId, Pipe, Pipe, FlagShape, std::uint32_t>; // and slots
  using LoopPipes = std::tuple<LoopId, Pipe, Pipe>;                       // and what waits for what in it

  /// The list in the loop and the one around it; whether it is carried, and the pipes.
  using PeeledGroup = std::tuple<ListId, ListId, Trip, bool, Pipe, Pipe>;

  /// List, child behind which is set, branch, pipes.
  using FanKey = std::tuple<ListId, std::uint32_t, std::uint32_t, Pipe, Pipe>;
  struct Fan {
    OrderReason reason;
    std::set<ChildPlace> consumers; // at every depth inside the branch
  };

  static FanKey keyOf(const Group &group, const Span &span) {
    return {std::get<0>(group), span.set, span.wait, span.proposal.source, span.proposal.destination};
  }

  bool isBranch(const BraceList::Child &child) const {
    return child.lists.size() > 1 &&
           std::all_of(child.lists.begin(), child.lists.end(), [&](ListId list) { return isArm(list); });
  }

  /// One set, and a wait in each arm of a branch: in front of what needs it there, otherwise at the arm's end.
  /// False: an arm has no place for it.
  bool waitsInside(const BraceList::Child &branch, const std::set<ChildPlace> &consumers,
                   std::vector<NewSync> &waits) const {
    for (ListId arm : branch.lists) {
      auto first = consumers.lower_bound({arm, 0});
      const std::vector<BraceList::Child> &children = tree.lists()[arm].children;
      if (children.empty())
        return false;
      if (first == consumers.end() || first->list != arm) {
        waits.push_back({SyncKind::WaitFlag, behind({arm, childCount(arm) - 1}, kWait)});
      } else if (isBranch(children[first->child])) {
        if (!waitsInside(children[first->child], consumers, waits))
          return false;
      } else {
        waits.push_back({SyncKind::WaitFlag, inFrontOf(*first, kWait)});
      }
    }
    return true;
  }

  /// The flags that wait inside a branch, where one of their waits has something in front of it there.
  std::map<FanKey, Proposal> fannedOut() const {
    std::map<FanKey, Proposal> result;
    for (const auto &[key, fan] : fans) {
      auto [list, set, branch, source, destination] = key;
      Proposal proposal{source, destination, {{SyncKind::SetFlag, behind({list, set}, kSet)}}, fan.reason};
      proposal.shape = FlagShape::Fan;
      if (!waitsInside(tree.lists()[list].children[branch], fan.consumers, proposal.syncs))
        continue;
      if (std::any_of(proposal.syncs.begin() + 1, proposal.syncs.end(),
                      [](const NewSync &wait) { return wait.place.behind || wait.place.child > 0; }))
        result.emplace(key, std::move(proposal));
    }
    return result;
  }

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
    ListPlace place{at.list, at.child, false, kWait};
    Proposal barrier{pair.source, pair.source, {{SyncKind::Barrier, place}}, pair.reason};
    barriers.try_emplace({place, pair.source}, std::move(barrier));
  }

  bool isArm(ListId list) const { return tree.lists()[list].role == ListRole::Arm; }
  std::uint32_t childCount(ListId list) const { return static_cast<std::uint32_t>(tree.lists()[list].children.size()); }

  void addSpan(const RequiredPair &pair, ListId list, FlagShape shape, std::uint32_t set, std::uint32_t wait,
               std::vector<NewSync> syncs, std::uint32_t slots = 1, const std::string &counter = "") {
    spans[{list, pair.source, pair.destination, shape, slots}].push_back(
        {set, wait, {pair.source, pair.destination, std::move(syncs), pair.reason, kNone, slots, counter, shape}});
  }

  void addForward(const RequiredPair &pair, std::size_t level) {
    ChildPlace from = pair.earlier[level], to = pair.later[level];
    if (from.child < to.child) {
      const ChildPlace at = beforeJumps(from, to);
      std::vector<NewSync> syncs = {{SyncKind::SetFlag, behind(from, kSet)},
                                    {SyncKind::WaitFlag, inFrontOf(at, kWait)}};
      addPeeled(pair, level, syncs, 0, 1);
      addSpan(pair, from.list, FlagShape::Forward, from.child, at.child, std::move(syncs));
    }
    if (from.child < to.child && isBranch(tree.lists()[to.list].children[to.child])) {
      Fan &fan =
          fans.try_emplace({from.list, from.child, to.child, pair.source, pair.destination}, Fan{pair.reason, {}})
              .first->second;
      fan.consumers.insert(pair.later.begin() + static_cast<std::ptrdiff_t>(level) + 1, pair.later.end());
    }
    if (range == Range::Plain)
      return;
    for (std::size_t i = level + 1; i < pair.earlier.size(); ++i)
      if (isArm(pair.earlier[i].list)) {
        ChildPlace at = pair.earlier[i], last{at.list, childCount(at.list) - 1};
        addSpan(pair, at.list, FlagShape::FromArm, at.child, last.child,
                {{SyncKind::SetFlag, behind(at, kSet)}, {SyncKind::WaitFlag, behind(last, kWait)}});
      }
    for (std::size_t i = level + 1; i < pair.later.size(); ++i)
      if (isArm(pair.later[i].list)) {
        ChildPlace at = pair.later[i], first{at.list, 0};
        addSpan(pair, at.list, FlagShape::ToArm, 0, at.child,
                {{SyncKind::SetFlag, inFrontOf(first, kSet)}, {SyncKind::WaitFlag, inFrontOf(at, kWait)}});
      }
  }

  /// The innermost loop around a list, as a child of the list it stands in.
  ChildPlace innermostLoop(ListId list) const {
    for (; list != kNone; list = tree.lists()[list].parent)
      if (tree.lists()[list].role == ListRole::Loop)
        return {tree.lists()[list].parent, tree.lists()[list].parentChild};
    return {};
  }

  /// The outermost loop around a list, as a child of the list it stands in.
  ChildPlace outermostLoop(ListId list) const {
    ChildPlace loop;
    for (; list != kNone; list = tree.lists()[list].parent)
      if (tree.lists()[list].role == ListRole::Loop)
        loop = {tree.lists()[list].parent, tree.lists()[list].parentChild};
    return loop;
  }

  /// The last place behind `from` and in front of `to` that is come to whenever `from` is, if that does not leave.
  ChildPlace beforeJumps(ChildPlace from, ChildPlace to) const {
    ChildPlace at{from.list, from.child + 1};
    while (at.child < to.child && !tree.child(at).leaves)
      ++at.child;
    return at;
  }

  /// The jumps, at any depth inside some children of a list, by which control does not come behind them. What they
  /// leave is a loop around the list, or its function.
  std::vector<ChildPlace> jumpsIn(ListId list, std::uint32_t first, std::uint32_t last, bool returnsOnly) const {
    std::vector<ChildPlace> found;
    for (const ChildPlace &jump : jumps) {
      const bool returns = tree.child(jump).jump == Jump::Function;
      ChildPlace at = jump;
      bool leaves = returns || !returnsOnly;
      for (; leaves && at.list != list && at.list != kNone;
           at = {tree.lists()[at.list].parent, tree.lists()[at.list].parentChild}) {
        const ListRole role = tree.lists()[at.list].role;
        leaves = role != ListRole::Body && (role != ListRole::Loop || returns);
      }
      if (leaves && at.list == list && at.child >= first && at.child <= last)
        found.push_back(jump);
    }
    return found;
  }

  using Slots = std::vector<std::uint32_t>;

  /// Two syncs in a loop whose flag has these ids set in front of it, and waited for behind it and where a `return`
  /// leaves it.
  std::vector<NewSync> primedAndDrained(ChildPlace loop, const NewSync &first, const NewSync &second,
                                        const Slots &primed, const Slots &drained) const {
    std::vector<NewSync> syncs;
    for (std::uint32_t slot : primed)
      syncs.push_back({SyncKind::SetFlag, inFrontOf(loop, kLast), slot});
    syncs.push_back(first);
    syncs.push_back(second);
    for (std::uint32_t slot : drained)
      syncs.push_back({SyncKind::WaitFlag, behind(loop, kDrain), slot});
    for (const ChildPlace &end : jumpsIn(loop.list, loop.child, loop.child, true))
      for (std::uint32_t slot : drained)
        syncs.push_back({SyncKind::WaitFlag, inFrontOf(end, kDrain), slot});
    return syncs;
  }

  /// Where what runs on each pipe stands, as far as it needs an order.
  void findPipes() {
    for (const RequiredPair &pair : order.pairs) {
      for (const ChildPlace &place : pair.earlier)
        runsOn[{place.list, pair.source}].insert(place.child);
      for (const ChildPlace &place : pair.later)
        runsOn[{place.list, pair.destination}].insert(place.child);
    }
  }

  /// True if in one of the lists from `level` + 1 on something of the pipe stands behind the path, or in front of it.
  bool hasOthers(const TreePath &path, std::size_t level, Pipe pipe, Trip trip) const {
    for (std::size_t i = level + 1; i < path.size(); ++i)
      if (auto found = runsOn.find({path[i].list, pipe}); found != runsOn.end())
        if (trip == Trip::Last ? *found->second.rbegin() > path[i].child : *found->second.begin() < path[i].child)
          return true;
    return false;
  }

  /// The flag with its set in the last trip of loops that only the producer is in, or its wait in the first of those
  /// that only the consumer is in: where something else of the pipe would be waited for, or wait.
  void addPeeled(const RequiredPair &pair, std::size_t level, const std::vector<NewSync> &syncs, std::size_t set,
                 std::size_t wait) {
    if (range != Range::Trips)
      return;
    const ChildPlace from = pair.earlier[level], to = pair.later[level];
    auto addOne = [&](const TreePath &path, const std::vector<LoopId> &loops, Pipe pipe, Trip trip, std::size_t which) {
      std::optional<std::string> guard = tripGuard(order, tree, path, level, loops, trip);
      if (!guard || !hasOthers(path, level, pipe, trip))
        return;
      const bool last = trip == Trip::Last;
      Span span{last ? path.back().child : from.child, last ? to.child : path.back().child,
                Proposal{pair.source, pair.destination, syncs, pair.reason}};
      span.proposal.shape = FlagShape::Peeled;
      span.proposal.syncs[which].place = last ? behind(path.back(), kSet) : inFrontOf(path.back(), kWait);
      span.proposal.syncs[which].guard = std::move(*guard);
      peeled[{path.back().list, from.list, trip, pair.carried, pair.source, pair.destination}].push_back(
          std::move(span));
    };
    addOne(pair.earlier, pair.earlierLoops, pair.source, Trip::Last, set);
    addOne(pair.later, pair.laterLoops, pair.destination, Trip::First, wait);
  }

  /// The flag primed in front of what its source runs before the loop, which the first trip need not wait for.
  void addPrimedEarly(const RequiredPair &pair, ChildPlace from, ChildPlace to, std::vector<NewSync> syncs) {
    const ChildPlace loop = outermostLoop(from.list);
    const auto before = runsOn.find({loop.list, pair.source});
    if (range != Range::Trips || before == runsOn.end() || *before->second.begin() >= loop.child)
      return;
    syncs.front().place = inFrontOf({loop.list, *before->second.begin()}, kLast);
    Span span{from.child, to.child, Proposal{pair.source, pair.destination, std::move(syncs), pair.reason}};
    span.proposal.shape = FlagShape::Peeled;
    peeled[{from.list, loop.list, Trip::First, true, pair.source, pair.destination}].push_back(std::move(span));
  }

  /// Set where it is waited for: behind all that the producer's pipe has by then, the visit before included.
  void addInPlace(const RequiredPair &pair, ChildPlace at) {
    addSpan(pair, at.list, FlagShape::InPlace, at.child, at.child,
            {{SyncKind::SetFlag, inFrontOf(at, kSet)}, {SyncKind::WaitFlag, inFrontOf(at, kWait)}});
  }

  std::vector<NewSync> carriedSyncs(ListId list, ListPlace wait, ListPlace set) const {
    return primedAndDrained(outermostLoop(list), {SyncKind::WaitFlag, wait}, {SyncKind::SetFlag, set}, {0}, {0});
  }

  /// Sets a flag also where a jump skips the set behind `from`, once it was waited for in front of `to`.
  void setAtJumps(ChildPlace to, ChildPlace from, const NewSync &set, std::vector<NewSync> &syncs) const {
    for (const ChildPlace &jump : jumpsIn(from.list, to.child, from.child, false)) {
      syncs.push_back(set);
      syncs.back().place = inFrontOf(jump, kSet);
    }
  }

  void addCarried(const RequiredPair &pair, std::size_t level) {
    ChildPlace from = pair.earlier[level], to = pair.later[level];
    if (outermostLoop(from.list).list == kNone)
      return;
    ListPlace wait = inFrontOf(to, kWait);
    if (from.child >= to.child) {
      std::vector<NewSync> syncs = carriedSyncs(from.list, wait, behind(from, kSet));
      setAtJumps(to, from, syncs[kRingSet], syncs);
      if (from.child > to.child)
        addPeeled(pair, level, syncs, kRingSet, kRingWait);
      addPrimedEarly(pair, from, to, syncs);
      addSpan(pair, from.list, FlagShape::Backward, from.child, to.child, std::move(syncs));
    } else // behind the wait is behind the producer too
      addSpan(pair, from.list, FlagShape::Backward, to.child, to.child,
              carriedSyncs(from.list, wait, inFrontOf(to, kLateSet)));
    addInPlace(pair, to);
    if (range == Range::Plain)
      return;
    for (std::size_t i = level + 1; i < pair.later.size(); ++i)
      if (isArm(pair.later[i].list))
        addInPlace(pair, pair.later[i]);
    if (from.child > to.child)
      addSpan(pair, from.list, FlagShape::Lagging, from.child, to.child,
              carriedSyncs(from.list, wait, inFrontOf(from, kLateSet)));
    for (std::size_t i = level; i < pair.later.size(); ++i)
      if (isArm(pair.later[i].list) && (i > level || from.child >= to.child))
        addHandshake(pair, pair.later[i]);
  }

  /// By loop, and by what waits for what: for how many iterations storage lasts. A loop is told apart by the common
  /// period of its flags, so lags that would make that long are left out.
  void findLags(const RequiredOrder &order) {
    constexpr std::uint32_t kLongestPeriod = 6;
    std::map<LoopId, std::map<std::uint32_t, std::set<LoopPipes>>> found; // by loop, by lag
    for (const RequiredPair &pair : order.pairs)
      if (pair.lag > 1 && pair.lag <= kMostSlots && counters.count(pair.loop))
        found[pair.loop][pair.lag].insert({pair.loop, pair.source, pair.destination});
    for (const auto &[loop, byLag] : found) {
      std::uint32_t period = 1;
      for (const auto &[lag, of] : byLag) {
        std::uint32_t longer = std::lcm(period, lag);
        if (longer > kLongestPeriod)
          continue;
        period = longer;
        slotsOf[loop].insert(lag);
        for (const LoopPipes &pipes : of)
          lags[pipes].insert(lag);
      }
    }
  }

  /// "v40", "v40 / 128" or "(63 - v40)": grows by one with each iteration.
  static std::string iterationText(const LoopCounter &counter) {
    const std::string count =
        counter.step > 0 ? counter.name : "(" + std::to_string(*counter.start) + " - " + counter.name + ")";
    const std::int64_t step = counter.step > 0 ? counter.step : -counter.step;
    return step == 1 ? count : count + " / " + std::to_string(step);
  }

  /// What that is in the first iteration.
  static std::int64_t firstIteration(const LoopCounter &counter) {
    return counter.step > 0 ? *counter.start / counter.step : 0;
  }

  void addSlots(const RequiredPair &pair, std::size_t level) {
    auto counter = counters.find(pair.loop);
    ChildPlace from = pair.earlier[level], to = pair.later[level], loop = innermostLoop(from.list);
    if (counter == counters.end() || loop.list == kNone)
      return;
    std::string iteration = iterationText(counter->second);
    NewSync set{SyncKind::SetFlag, behind(from, kSet), 0, true},
        wait{SyncKind::WaitFlag, inFrontOf(to, kWait), 0, true};
    if (!pair.carried) {
      // Storage that lasts for some iterations lets the producer run ahead by as many.
      auto back = lags.find({pair.loop, pair.destination, pair.source});
      const ChildPlace at = beforeJumps(from, to);
      if (back != lags.end() && from.child < to.child)
        for (std::uint32_t slots : back->second)
          addSpan(pair, from.list, FlagShape::Slots, from.child, at.child,
                  {set, {SyncKind::WaitFlag, inFrontOf(at, kWait), 0, true}}, slots, iteration);
      return;
    }
    auto own = lags.find({pair.loop, pair.source, pair.destination});
    if (from.child >= to.child && own != lags.end() && own->second.count(pair.lag)) {
      // All ids primed and drained: whatever the iteration, its id was set that many before.
      Slots all = slotsFrom(0, pair.lag, pair.lag);
      std::vector<NewSync> syncs = primedAndDrained(outermostLoop(from.list), wait, set, all, all);
      setAtJumps(to, from, set, syncs);
      addSpan(pair, from.list, FlagShape::Ring, from.child, to.child, std::move(syncs), pair.lag, iteration);
    }
    for (std::uint32_t slots : slotsOf[pair.loop])
      if (pair.lag > 0 && slots > pair.lag)
        addPipeline(pair, counter->second, loop, set, wait, slots);
  }

  /// Ids of so many iterations, in a row round the flag's.
  static Slots slotsFrom(std::int64_t iteration, std::uint32_t count, std::uint32_t slots) {
    Slots result;
    for (std::uint32_t i = 0; i < count; ++i)
      result.push_back(static_cast<std::uint32_t>((iteration + i) % slots));
    return result;
  }

  /// What one iteration makes is used `lag` later, when the setter may be further on. Which ids are left set behind the
  /// loop depends on where it ends.
  void addPipeline(const RequiredPair &pair, const LoopCounter &counter, ChildPlace loop, NewSync set,
                   const NewSync &wait, std::uint32_t slots) {
    if (!counter.start || !counter.trips || *counter.trips < slots)
      return;
    const std::int64_t first = firstIteration(counter);
    set.slot = pair.lag;
    std::vector<NewSync> syncs = primedAndDrained(loop, set, wait, slotsFrom(first, pair.lag, slots),
                                                  slotsFrom(first + *counter.trips, pair.lag, slots));
    addSpan(pair, set.place.list, FlagShape::Pipeline, set.place.child, wait.place.child, std::move(syncs), slots,
            iterationText(counter));
  }

  /// The flag, set beside its wait, and one the other way between the two that tells the setter of the wait.
  void addHandshake(const RequiredPair &pair, ChildPlace at) {
    auto key = std::make_tuple(at, pair.source, pair.destination);
    if (handshakes.count(key))
      return;
    auto number = static_cast<std::uint32_t>(handshakes.size());
    Proposal flag{pair.source, pair.destination, carriedSyncs(at.list, inFrontOf(at, kWait), inFrontOf(at, kLast)),
                  pair.reason, number};
    handshakes.emplace(key, std::make_pair(std::move(flag), answer(pair, at, number)));
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

  const RequiredOrder &order;
  const StatementTree &tree;
  Range range;
  const std::map<LoopId, LoopCounter> &counters;
  std::vector<ChildPlace> jumps;                     // all of the tree's
  std::map<LoopPipes, std::set<std::uint32_t>> lags; // that have flags with as many ids
  std::map<LoopId, std::set<std::uint32_t>> slotsOf; // all lags of a loop
  std::map<std::pair<ListPlace, Pipe>, Proposal> barriers;
  std::map<Group, std::vector<Span>> spans;
  std::map<FanKey, Fan> fans;
  std::map<std::tuple<ChildPlace, Pipe, Pipe>, std::pair<Proposal, Proposal>> handshakes;
  std::map<std::pair<ListId, Pipe>, std::set<std::uint32_t>> runsOn; // children, at any depth inside
  std::map<PeeledGroup, std::vector<Span>> peeled;
};

} // namespace

bool isLegal(const Proposal &proposal, const Machine &machine, Section section) {
  if (proposal.isBarrier())
    return machine.barrierLegal(section, proposal.source);
  return machine.hasPipe(section, proposal.source) && machine.hasPipe(section, proposal.destination);
}

std::vector<Proposal> proposalsFor(const RequiredOrder &order, const StatementTree &tree, Range range) {
  Proposer proposer(order, tree, range);
  for (const RequiredPair &pair : order.pairs)
    if (!pair.silenced)
      proposer.add(pair);
  return proposer.finish();
}

std::vector<Proposal> meetingsFor(const RequiredOrder &order, const Machine &machine, Section section) {
  std::vector<Proposal> proposals;
  std::set<std::tuple<ChildPlace, Pipe, Pipe>> known;
  for (RequiredPair pair : order.pairs) {
    const auto [first, second] = std::minmax(pair.source, pair.destination);
    // A pipe that has no barrier of its own waits for itself by way of the scalar unit.
    if (first == second && first != Pipe::S && !machine.barrierLegal(section, first))
      pair.destination = Pipe::S;
    if (pair.silenced || pair.source == pair.destination || !known.emplace(pair.later.back(), first, second).second)
      continue;
    // Above those of proposalsFor, each of which may be half of one.
    const auto number = kFirstMeeting + static_cast<std::uint32_t>(known.size());
    const ChildPlace at = pair.later.back();
    proposals.push_back({pair.source,
                         pair.destination,
                         {{SyncKind::SetFlag, inFrontOf(at, kSet)}, {SyncKind::WaitFlag, inFrontOf(at, kWait)}},
                         pair.reason,
                         number});
    proposals.push_back(answer(pair, at, number));
  }
  return proposals;
}

} // namespace ptosync::synthesis
