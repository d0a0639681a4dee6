#include "optimize/statement_slots.h"

#include "base/walk.h"

#include <llvm/ADT/DenseSet.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace ptosync {

class StatementSlots::SlotReader {
public:
  SlotReader(const StatementSlots &owner, StatementList list)
      : program(owner.program), layout(owner.pending.layout()), sites(owner.sites), predecessors(owner.predecessors),
        list(list) {}

  SlotList run() {
    if (list.list != kNone)
      walkFrom({firstStep(), 0});
    return SlotList(std::move(slots));
  }

  /// Those near `event`: twice as many as wanted, so that they serve its neighbours too.
  SlotList runNear(EventKey event, std::size_t reach) {
    if (list.list == kNone)
      return {};
    middle = event;
    wantedBehind = 2 * reach;
    std::uint32_t first = statementsBefore(event, 2 * reach);
    walkFrom(first == 0 ? EventKey{firstStep(), 0} : EventKey{event.first, first});
    return SlotList(std::move(slots), first != 0, enough());
  }

private:
  void walkFrom(EventKey from) {
    StepId step = from.first;
    walkStep(step, from.second);
    while (!enough()) {
      BlockId next = program.graph->nextEquivalent(program.blockOf[step]);
      if (next == kNone)
        break;
      std::optional<StepId> copy = passTo(step, next);
      if (!copy)
        break;
      step = *copy;
      walkStep(step, 0);
    }
  }

  /// Where the first of `count` statements of the list in front of the event begins in the event's step; 0 if there are
  /// not as many.
  std::uint32_t statementsBefore(EventKey event, std::size_t count) const {
    const std::vector<Event> &events = program.steps[event.first];
    std::uint32_t begin = kNone, position = event.second;
    for (; position > 0 && count > 0; --position) {
      const Statement &statement = *events[position].statement;
      if (statement.anchor.list != list.list || statement.context != list.context || statement.anchor.begin == begin)
        continue;
      begin = statement.anchor.begin;
      --count;
    }
    while (position > 0 && events[position].statement->anchor.begin == events[position - 1].statement->anchor.begin)
      --position;
    return position;
  }

  /// The copy of the first equivalent block that leads to the event's step without going round a loop.
  StepId firstStep() const {
    StepId step = list.step;
    for (;;) {
      BlockId above = program.graph->previousEquivalent(program.blockOf[step]);
      std::optional<StepId> copy = above == kNone ? std::nullopt : backTo(step, above);
      if (!copy)
        return step;
      step = *copy;
    }
  }

  std::optional<StepId> backTo(StepId from, BlockId block) const {
    Walk<StepId> walk({from});
    while (std::optional<StepId> step = walk.next())
      for (StepId before : predecessors[*step]) {
        if (program.blockOf[before] == block)
          return before;
        walk.reach(before);
      }
    return std::nullopt;
  }

  /// The copy of `block` that follows `from`; what runs in between is passed.
  std::optional<StepId> passTo(StepId from, BlockId block) {
    std::optional<StepId> found;
    std::set<StepId> between;
    Walk<StepId> walk({from});
    while (std::optional<StepId> step = walk.next())
      for (const Edge &edge : program.edges[*step]) {
        if (program.blockOf[edge.to] != block) {
          walk.reach(edge.to);
          between.insert(edge.to);
          continue;
        }
        if (found && *found != edge.to)
          return std::nullopt;
        found = edge.to;
      }
    for (StepId step : between) {
      layout.forEach(program, step, [&](EventKey, const Event &inside) {
        passed.push_back(&inside);
        see(inside.statement->anchor, inside.statement->context);
        return true;
      });
      const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
      see(end.kind == Terminator::Kind::Return ? Anchor() : end.anchor, end.context);
    }
    return found;
  }

  void walkStep(StepId step, std::uint32_t first) {
    layout.forEachFrom(program, step, first, [&](EventKey key, const Event &here) {
      if (key == middle)
        behind = true;
      if (!layout.moved(key))
        addSlot(key, here.statement->anchor, here.statement->context, here.site);
      else
        addArrived(step, key, here.site);
      passed.push_back(&here);
      return !enough();
    });
    if (enough())
      return;
    EventKey end{step, static_cast<std::uint32_t>(program.steps[step].size())};
    if (const Terminator *terminator = endOf(step)) {
      std::size_t before = slots.size();
      addSlot(end, terminator->anchor, terminator->context, kNone);
      if (slots.size() > before)
        slots.back().branches = terminator == &program.kernel->blocks[program.blockOf[step]].terminator;
    }
  }

  /// The branch at the end of a step, or the test of the loop that comes next.
  const Terminator *endOf(StepId step) const {
    const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
    if (end.kind == Terminator::Kind::Jump)
      return loopTest(program.blockOf[step], end.whenTrue);
    return end.kind == Terminator::Kind::Branch ? &end : nullptr;
  }

  /// In front of a sync that has moved to this step, if to this list.
  void addArrived(StepId step, EventKey key, SiteId site) {
    for (EventKey place : layout.placesOf(key)) {
      if (place.first != step)
        continue;
      bool atEnd = place.second == program.steps[step].size();
      const Statement *behind = atEnd ? nullptr : program.steps[step][place.second].statement;
      const Terminator *end = atEnd ? endOf(step) : nullptr;
      const Anchor *anchor = behind ? &behind->anchor : end ? &end->anchor : nullptr;
      if (!anchor || anchor->list != list.list || (behind ? behind->context : end->context) != list.context)
        return;
      addSlot(Slot{SyncPlace(place, key), anchor->begin, site, false, {}});
    }
  }

  /// The test of a loop that is entered from `from` alone and does nothing but test in its header.
  const Terminator *loopTest(BlockId from, BlockId header) const {
    const FlowGraph &graph = *program.graph;
    const Block &block = program.kernel->blocks[header];
    for (BlockId before : graph.predecessors(header))
      if (before != from && graph.backEdge(before, header) == kNone)
        return nullptr;
    bool loop = graph.loopOf(header) != kNone && graph.loops()[graph.loopOf(header)].header == header &&
                graph.backEdge(from, header) == kNone;
    bool tests = std::all_of(block.statements.begin(), block.statements.end(),
                             [&](const Statement &test) { return test.anchor == block.terminator.anchor; });
    return loop && tests ? &block.terminator : nullptr;
  }

  bool enough() const { return slotsBehind > wantedBehind; }

  bool see(const Anchor &anchor, std::uint32_t context) {
    return anchor.list == list.list && context == list.context && anchor.begin != kNone &&
           seenStatements.insert(anchor.begin).second;
  }

  void addSlot(EventKey place, const Anchor &anchor, std::uint32_t context, SiteId site) {
    if (!see(anchor, context))
      return;
    // A keep comment above its sync would then stand above another.
    if (site != kNone && sites[site].protection == Protection::KeepComment)
      return;
    addSlot(Slot{place, anchor.begin, kNone, false, {}});
  }

  void addSlot(Slot slot) {
    slot.passed = std::move(passed);
    slots.push_back(std::move(slot));
    passed.clear();
    slotsBehind += behind;
  }

  const Program &program;
  const SyncLayout &layout;
  const std::vector<SyncSite> &sites;
  const std::vector<std::vector<StepId>> &predecessors;
  StatementList list;
  std::vector<Slot> slots;
  llvm::SmallDenseSet<std::uint32_t> seenStatements;
  llvm::SmallVector<const Event *, 4> passed;
  EventKey middle{kNone, kNone}; // the event around which slots are wanted, and how many behind it
  std::size_t wantedBehind = std::numeric_limits<std::size_t>::max(), slotsBehind = 0;
  bool behind = false;
};

namespace {

auto placeOf(const Slot &slot) { return std::pair(slot.offset, slot.arrived); }

} // namespace

SlotList::SlotList(std::vector<Slot> list, bool moreBefore, bool moreBehind)
    : slots(std::move(list)), byPlace(slots.size()), moreBefore(moreBefore), moreBehind(moreBehind) {
  std::iota(byPlace.begin(), byPlace.end(), std::size_t{0});
  std::stable_sort(byPlace.begin(), byPlace.end(),
                   [&](std::size_t a, std::size_t b) { return placeOf(slots[a]) < placeOf(slots[b]); });
}

std::size_t SlotList::find(std::uint32_t offset, SiteId arrived) const {
  std::pair wanted(offset, arrived);
  auto found = std::lower_bound(byPlace.begin(), byPlace.end(), wanted,
                                [&](std::size_t slot, auto place) { return placeOf(slots[slot]) < place; });
  return found == byPlace.end() || placeOf(slots[*found]) != wanted ? slots.size() : *found;
}

bool SlotList::reaches(std::size_t slot, std::size_t reach) const {
  return slot < slots.size() && (!moreBefore || slot >= reach) && (!moreBehind || slots.size() - slot > reach);
}

StatementSlots::StatementSlots(const Program &program, const Pending &pending, const std::vector<SyncSite> &sites)
    : program(program), pending(pending), sites(sites), predecessors(program.steps.size()) {
  for (StepId step : program.order)
    for (const Edge &edge : program.edges[step])
      if (edge.around == kNone)
        predecessors[edge.to].push_back(step);
}

std::shared_ptr<const SlotList> StatementSlots::around(EventKey event, std::size_t reach) {
  if (pending.layout().moved(event))
    return std::make_shared<SlotList>();
  const Statement &statement = *program.steps[event.first][event.second].statement;
  StatementList list{event.first, statement.anchor.list, statement.context};
  std::shared_ptr<const SlotList> &found = near[list];
  if (!found || !found->reaches(found->find(statement.anchor.begin, kNone), reach))
    found = std::make_shared<const SlotList>(SlotReader(*this, list).runNear(event, reach));
  return found;
}

std::shared_ptr<const SlotList> StatementSlots::in(StatementList list) {
  std::shared_ptr<const SlotList> &found = known[list];
  if (!found)
    found = std::make_shared<const SlotList>(SlotReader(*this, list).run());
  return found;
}

std::optional<StatementList> armOf(const Program &program, StatementList branching, StepId target) {
  BlockId block = program.blockOf[target];
  if (program.graph->predecessors(block).size() != 1)
    return std::nullopt;
  auto own = [&](const Anchor &anchor, std::uint32_t context) {
    return anchor.list != kNone && anchor.list != branching.list && context == branching.context;
  };
  for (const Event &event : program.steps[target])
    if (own(event.statement->anchor, event.statement->context))
      return StatementList{target, event.statement->anchor.list, branching.context};
  const Terminator &end = program.kernel->blocks[block].terminator;
  if (end.kind == Terminator::Kind::Branch && own(end.anchor, end.context))
    return StatementList{target, end.anchor.list, branching.context};
  return std::nullopt;
}

} // namespace ptosync
