#include "optimize/statement_slots.h"

#include <algorithm>

namespace ptosync {
namespace {

class SlotWalk {
public:
  SlotWalk(const Program &program, const Pending &pending, EventKey event, const std::vector<SyncSite> &sites,
           const std::map<SiteId, std::uint32_t> &arrivals)
      : program(program), layout(pending.layout()), sites(sites), arrivals(arrivals), event(event),
        statement(*program.blocks[event.first][event.second].statement) {}

  std::vector<Slot> run() {
    if (statement.anchor.list == kNone || layout.moved(event))
      return {};
    StepId step = firstStep();
    for (;;) {
      walkStep(step);
      BlockId next = program.graph->nextEquivalent(program.blockOf[step]);
      if (next == kNone)
        break;
      std::optional<StepId> copy = passTo(step, next);
      if (!copy)
        break;
      step = *copy;
    }
    return std::move(slots);
  }

private:
  /// The copy of the first equivalent block that leads to the event's step without going round a loop.
  StepId firstStep() const {
    StepId step = event.first;
    for (;;) {
      BlockId above = program.graph->previousEquivalent(program.blockOf[step]);
      std::optional<StepId> copy = above == kNone ? std::nullopt : backTo(step, above);
      if (!copy)
        return step;
      step = *copy;
    }
  }

  std::optional<StepId> backTo(StepId from, BlockId block) const {
    std::map<StepId, std::vector<StepId>> predecessors;
    for (StepId step : program.order)
      for (const Edge &edge : program.edges[step])
        if (edge.around == kNone)
          predecessors[edge.to].push_back(step);
    std::set<StepId> seen = {from};
    std::vector<StepId> work = {from};
    while (!work.empty()) {
      StepId step = work.back();
      work.pop_back();
      for (StepId before : predecessors[step]) {
        if (program.blockOf[before] == block)
          return before;
        if (seen.insert(before).second)
          work.push_back(before);
      }
    }
    return std::nullopt;
  }

  /// The copy of `block` that follows `from`; what runs in between is passed.
  std::optional<StepId> passTo(StepId from, BlockId block) {
    std::optional<StepId> found;
    std::set<StepId> seen;
    std::vector<StepId> work = {from};
    while (!work.empty()) {
      StepId step = work.back();
      work.pop_back();
      for (const Edge &edge : program.edges[step]) {
        if (program.blockOf[edge.to] == block) {
          if (found && *found != edge.to)
            return std::nullopt;
          found = edge.to;
        } else if (seen.insert(edge.to).second) {
          work.push_back(edge.to);
        }
      }
    }
    for (StepId step : seen) {
      layout.forEach(program, step, [&](EventKey, const Event &inside) {
        passed.push_back(&inside);
        see(inside.statement->anchor, inside.statement->context);
        return true;
      });
      const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
      see(end.anchor, end.context);
    }
    return found;
  }

  void walkStep(StepId step) {
    layout.forEach(program, step, [&](EventKey key, const Event &here) {
      if (!layout.moved(key))
        addSlot(key, here.statement->anchor, here.statement->context, here.site);
      else if (see(here.statement->anchor, here.statement->context))
        addSlot({SyncPlace(layout.placeOf(key), key), arrivals.at(here.site), here.site, {}});
      passed.push_back(&here);
      return true;
    });
    // In front of a branch, or of a loop whose test is the next block.
    EventKey end{step, static_cast<std::uint32_t>(program.blocks[step].size())};
    const Terminator *terminator = &program.kernel->blocks[program.blockOf[step]].terminator;
    if (terminator->kind == Terminator::Kind::Jump)
      terminator = loopTest(program.blockOf[step], terminator->whenTrue);
    if (terminator && terminator->kind == Terminator::Kind::Branch)
      addSlot(end, terminator->anchor, terminator->context, kNone);
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

  bool see(const Anchor &anchor, std::uint32_t context) {
    return anchor.list == statement.anchor.list && context == statement.context && anchor.begin != kNone &&
           seenStatements.insert(anchor.begin).second;
  }

  void addSlot(EventKey place, const Anchor &anchor, std::uint32_t context, SiteId site) {
    if (!see(anchor, context))
      return;
    // A keep comment above its sync would then stand above another.
    if (site != kNone && sites[site].protection == Protection::KeepComment)
      return;
    addSlot({place, anchor.begin, kNone, {}});
  }

  void addSlot(Slot slot) {
    slot.passed = std::move(passed);
    slots.push_back(std::move(slot));
    passed.clear();
  }

  const Program &program;
  const SyncLayout &layout;
  const std::vector<SyncSite> &sites;
  const std::map<SiteId, std::uint32_t> &arrivals;
  EventKey event;
  const Statement &statement;
  std::vector<Slot> slots;
  std::set<std::uint32_t> seenStatements;
  std::vector<const Event *> passed;
};

} // namespace

std::vector<Slot> slotsAround(const Program &program, const Pending &pending, EventKey event,
                              const std::vector<SyncSite> &sites, const std::map<SiteId, std::uint32_t> &arrivals) {
  return SlotWalk(program, pending, event, sites, arrivals).run();
}

} // namespace ptosync
