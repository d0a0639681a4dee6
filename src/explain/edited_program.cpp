#include "explain/edited_program.h"

#include <tuple>
#include <utility>

namespace ptosync {

EditedProgram::EditedProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const SyncChange &change) {
  Program program = llvm::cantFail(buildProgram(kernel, machine, options));
  edit(program, change);
  edited.emplace(std::move(program));
}

EventKey EditedProgram::keyOf(EventKey untouched) const {
  return {untouched.first, positions[untouched.first][untouched.second]};
}

void EditedProgram::edit(Program &program, const SyncChange &change) {
  positions.resize(program.steps.size());
  for (StepId step = 0; step < program.steps.size(); ++step) {
    std::vector<Event> events;
    std::vector<Event> &old = program.steps[step];
    for (std::uint32_t i = 0; i <= old.size(); ++i) {
      bool here = change.barrier && program.blockOf[step] == change.barrier->block && change.barrier->event == i;
      if (here) {
        Event barrier;
        barrier.kind = Event::Kind::Barrier;
        barrier.source = change.barrier->pipe;
        barrier.statement = i < old.size() ? old[i].statement : old.empty() ? nullptr : old.back().statement;
        events.push_back(std::move(barrier));
      }
      positions[step].push_back(static_cast<std::uint32_t>(events.size()));
      if (i < old.size() && !change.removed.count(old[i].site))
        events.push_back(old[i]);
    }
    old = std::move(events);
  }
  for (Node &node : program.nodes)
    node.event = positions[node.block][node.event];
}

std::vector<OpenObligation> newlyOpen(const Pending &untouched, const Pending &edited) {
  auto key = [](const OpenObligation &open) {
    return std::tuple(open.pair.bit, open.pair.later, open.kind(), open.end);
  };
  std::set<decltype(key(std::declval<OpenObligation>()))> known;
  for (const OpenObligation &open : untouched.open())
    known.insert(key(open));
  std::vector<OpenObligation> found;
  for (const OpenObligation &open : edited.open())
    if (!known.count(key(open)))
      found.push_back(open);
  return found;
}

} // namespace ptosync
