#include "optimize/decision.h"

#include <algorithm>

namespace ptosync {

const char *keptReasonName(KeptReason reason) {
  switch (reason) {
  case KeptReason::None: return "none";
  case KeptReason::Hazard: return "hazard";
  case KeptReason::Unresolved: return "unresolved";
  case KeptReason::Protected: return "protected";
  case KeptReason::NotNominated: return "not-nominated";
  case KeptReason::NotAnalysed: return "not-analysed";
  case KeptReason::Unbalanced: return "unbalanced";
  case KeptReason::Intermittent: return "intermittent";
  case KeptReason::Unreached: return "unreached";
  case KeptReason::Limit: return "limit";
  }
  return "?";
}

std::uint32_t editsOf(const OptimizeResult &result) {
  std::uint32_t last = 0;
  for (const SiteDecision &decision : result.decisions)
    last = std::max(last, decision.edit);
  for (const AddedSync &added : result.added)
    last = std::max(last, added.edit);
  return last;
}

} // namespace ptosync
