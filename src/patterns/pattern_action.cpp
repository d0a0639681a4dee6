#include "patterns/pattern_action.h"

#include <algorithm>
#include <cassert>

namespace ptosync {

static constexpr ActionFacts kActions[] = {
    {PatternAction::RemoveBarrier, "remove-barrier", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::RemoveWeb, "remove-web", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::RemoveGeneration, "remove-generation", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::MergeFlags, "merge-flags", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::SinkWait, "sink-wait", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::SinkIntoArms, "sink-into-arms", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::RaiseSet, "raise-set", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::SetLocalSlots, "set-local-slots", PatternKind::Rewrite, ActionEffect::Rewrites},
};

std::span<const ActionFacts> patternActions() { return kActions; }

const ActionFacts &factsOf(PatternAction action) {
  const ActionFacts *found = std::find_if(std::begin(kActions), std::end(kActions),
                                          [&](const ActionFacts &facts) { return facts.action == action; });
  assert(found != std::end(kActions) && "an action without a row");
  return *found;
}

} // namespace ptosync
