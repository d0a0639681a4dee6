#include "patterns/pattern.h"

#include <algorithm>

namespace ptosync {

const char *patternActionName(PatternAction action) {
  switch (action) {
  case PatternAction::RemoveBarrier: return "remove-barrier";
  case PatternAction::RemoveWeb: return "remove-web";
  case PatternAction::RemoveGeneration: return "remove-generation";
  case PatternAction::MergeFlags: return "merge-flags";
  case PatternAction::SinkWait: return "sink-wait";
  case PatternAction::SinkIntoArms: return "sink-into-arms";
  case PatternAction::RaiseSet: return "raise-set";
  case PatternAction::SetLocalSlots: return "set-local-slots";
  }
  return "?";
}

bool Pattern::supports(std::string_view architecture) const {
  return std::find(arch.begin(), arch.end(), architecture) != arch.end();
}

bool Pattern::answersTo(std::string_view name) const {
  return id == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

} // namespace ptosync
