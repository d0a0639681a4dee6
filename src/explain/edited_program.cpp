#include "explain/edited_program.h"

namespace ptosync {

EditedProgram::EditedProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const SyncChange &change)
    : edited(std::make_unique<Program>(llvm::cantFail(buildProgram(kernel, machine, options)))) {
  edit(change);
}

EventKey EditedProgram::keyOf(EventKey untouched) const {
  return {untouched.first, positions[untouched.first][untouched.second]};
}

void EditedProgram::edit(const SyncChange &change) {
  positions.resize(edited->steps.size());
  for (StepId step = 0; step < edited->steps.size(); ++step) {
    std::vector<Event> events;
    std::vector<Event> &old = edited->steps[step];
    for (std::uint32_t i = 0; i <= old.size(); ++i) {
      bool here = change.barrier && edited->blockOf[step] == change.barrier->block && change.barrier->event == i;
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
  for (Node &node : edited->nodes)
    node.event = positions[node.block][node.event];
}

namespace {

std::vector<ConflictPair> without(const std::vector<ConflictPair> &known, const std::vector<ConflictPair> &found) {
  std::set<std::pair<std::uint32_t, NodeId>> seen;
  for (const ConflictPair &pair : known)
    seen.insert({pair.bit, pair.later});
  std::vector<ConflictPair> left;
  for (const ConflictPair &pair : found)
    if (!seen.count({pair.bit, pair.later}))
      left.push_back(pair);
  return left;
}

std::vector<ConflictPair> pairsOf(const std::vector<OpenConflict> &open) {
  std::vector<ConflictPair> pairs;
  for (const OpenConflict &conflict : open)
    pairs.push_back(conflict.pair);
  return pairs;
}

} // namespace

OpenPairs newlyOpen(const Pending &untouched, const Pending &edited) {
  return {without(pairsOf(untouched.open()), pairsOf(edited.open())),
          without(untouched.openReuses(), edited.openReuses()),
          without(untouched.openFenceOrders(), edited.openFenceOrders())};
}

} // namespace ptosync
