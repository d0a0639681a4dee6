#include "patterns/pattern.h"

#include <algorithm>
#include <cassert>

namespace ptosync {

bool Pattern::supports(std::string_view architecture) const {
  return std::find(arch.begin(), arch.end(), architecture) != arch.end();
}

bool Pattern::answersTo(std::string_view name) const {
  return id == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

static constexpr ActionFacts kActions[] = {
    {PatternAction::RemoveBarrier, "remove-barrier", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::RemoveWeb, "remove-web", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::RemoveGeneration, "remove-generation", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::MergeFlags, "merge-flags", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::SinkWait, "sink-wait", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::SinkIntoArms, "sink-into-arms", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::RaiseSet, "raise-set", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::RemoveBracket, "remove-bracket", PatternKind::Sync, ActionEffect::Removes},
    {PatternAction::NarrowBracket, "narrow-bracket", PatternKind::Sync, ActionEffect::Moves},
    {PatternAction::SetLocalSlots, "set-local-slots", PatternKind::Rewrite, ActionEffect::Rewrites},
};

std::span<const ActionFacts> patternActions() { return kActions; }

const ActionFacts &factsOf(PatternAction action) {
  const ActionFacts *found = std::find_if(std::begin(kActions), std::end(kActions),
                                          [&](const ActionFacts &facts) { return facts.action == action; });
  assert(found != std::end(kActions) && "an action without a row");
  return *found;
}

std::string wrapCase(const PatternCase &patternCase) {
  // The tail helper's body is not the kernel's; what matters is its name.
  std::string text = R"(#include "pto/pto-inst.hpp"
using namespace pto;

enum class PTOAutoSyncTailMode : int { kBarrierAll = 0, kSetWaitMte3ToSEvent0 = 1 };

static AICORE inline void ptoas_auto_sync_tail(
    PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  pipe_barrier(PIPE_ALL);
}

extern "C" __global__ AICORE void pattern_case(__gm__ float* v_in, __gm__ float* v_out, int32_t v_n) {
)";
  for (const std::string &line : patternCase.kernel)
    text += "  " + line + "\n";
  text += "  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);\n  return;\n}\n";
  return text;
}

} // namespace ptosync
